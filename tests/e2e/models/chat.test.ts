import { searchResultPackSchema } from '@aizuchi/shared/contract/memory';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type Reading, readTurn, saidIn } from '../../../packages/rest-api/test/turn-client.ts';
import { type ChatRequest, FakeOpenAi, type FakeReply } from '../../fixtures/fake-openai.ts';
import { KillWorld } from '../kill/kill-support.ts';
import { readServices, until } from '../start/product-process.ts';

const KEY = 'sk-key-of-the-model';
const PLAN = {
  mode: 'targeted_broad',
  queries: ['dog', 'Pochi'],
  time_hint: { about_year_start: null, about_year_end: null, life_stage_hint: '' },
  diversify: { by: [], per_bucket: 5 },
  limits: { max_candidates: 200, max_selected: 12 },
};

/** The product as it is started, with a model that is a script on loopback. */
let world: KillWorld;
let fake: FakeOpenAi;
let membership: { projectId: string; agentId: string };
/** What the model says to a person. */
let reply: FakeReply;
beforeAll(async () => {
  fake = await FakeOpenAi.start((request) => answerOf(request));
  world = await KillWorld.start({ LLM_BASE_URL: fake.baseUrl, LLM_MODEL: 'm', LLM_API_KEY: KEY });
  const { projectId, agentId } = await world.makeAgent('remembering', { systemPrompt: 'You are Hana.' });
  membership = { projectId, agentId };
});
afterAll(async () => {
  expect(await world.product.stop()).toBe(true);
  await fake.close();
});

function answerOf(request: ChatRequest): FakeReply {
  if (request.schema === 'SearchPlan') return { text: JSON.stringify(PLAN) };
  if (request.schema === 'SearchResultPack') return { text: JSON.stringify({ selected: chosenOf(request) }) };
  return reply;
}

const candidatesSchema = z.object({
  candidates: z.array(z.object({ event_id: z.string().optional(), text: z.string() })),
});

/** Whatever speaks of this. */
let wanted = 'Pochi';
function chosenOf({ messages }: ChatRequest) {
  const { candidates } = candidatesSchema.parse(JSON.parse(messages.at(-1)?.content ?? ''));
  return candidates
    .filter(({ text, event_id: id }) => id !== undefined && text.includes(wanted))
    .map(({ event_id, text }) => ({
      type: 'event',
      event_id,
      state_id: null,
      affect_id: null,
      why: wanted,
      snippet: text,
    }));
}

const api = () => `${world.product.environment.AIZUCHI_WEB_URL}/api/chat`;
const say = (text: string, clientId: string): Promise<Reading> =>
  readTurn(api(), { token: world.token, body: { ...membership, text, clientId } });
const pidOf = async (name: string) => {
  const service = (await readServices(world.home)).find((one) => one.name === name);
  if (!service) throw new Error(`${name} does not run`);
  return service.pid;
};

async function packOf(turn: Reading) {
  await turn.ended;
  const asked = fake.requests.findLast(({ stream }) => stream);
  const block = asked?.messages.find(({ content }) => content?.startsWith('{"SearchResultPack"'));
  return z.object({ SearchResultPack: searchResultPackSchema }).parse(JSON.parse(block?.content ?? ''))
    .SearchResultPack;
}

interface Chosen {
  readonly turn: Reading;
  readonly pack: Awaited<ReturnType<typeof packOf>>;
}

/**
 * The answer to a question for which the model has planned the search and chosen from what it found. What is late is
 * left behind, or done by rules.
 */
async function askUntilChosen(text: string, clientId: string): Promise<Chosen> {
  fake.requests.length = 0;
  const turn = await say(text, clientId);
  const pack = await packOf(turn);
  const isInTime = pack.selected.length > 0 && fake.requests.length === 3;
  return isInTime ? { turn, pack } : askUntilChosen(text, clientId);
}

it('what was said in one turn is planned, searched, chosen and given to the model in a later one', async () => {
  reply = { text: 'What a nice name.' };
  await (await say('My dog is called Pochi.', 'first')).ended;
  await (await say('The weather is fine today.', 'second')).ended;
  reply = { text: ['It is called', ' Pochi.'] };
  const { turn, pack } = await askUntilChosen('What is the name of my dog?', 'third');
  expect(fake.requests.map(({ schema, stream }) => [schema, stream])).toEqual([
    ['SearchPlan', false],
    ['SearchResultPack', false],
    [undefined, true],
  ]);
  // The same question, asked before when memory was late, speaks of Pochi too.
  const snippets = pack.selected.map(({ snippet }) => snippet);
  expect(snippets).toContainEqual(expect.stringContaining('My dog is called Pochi.'));
  expect(turn.frames.at(-1)).toMatchObject({
    event: 'done',
    data: { reply_text: 'It is called Pochi.', retrieval_run_id: expect.stringMatching(/^ret_/) },
  });
  for (const { authorization } of fake.requests) expect(authorization).toBe(`Bearer ${KEY}`);
});

it('a memory service that hangs does not keep the reply from starting', async () => {
  reply = { text: 'Hello.' };
  const pid = await pidOf('memory');
  process.kill(pid, 'SIGSTOP');
  try {
    const turn = await say('Are you there?', 'hanging');
    expect((await packOf(turn)).selected).toEqual([]);
    expect(turn.frames.at(-1)).toMatchObject({ event: 'done', data: { retrieval_run_id: null } });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

it('a turn goes on when the memory service is killed, and finds it again after its restart', async () => {
  reply = { text: 'Hello.' };
  const pid = await pidOf('memory');
  process.kill(pid, 'SIGKILL');
  const turn = await say('Still there?', 'killed');
  await turn.ended;
  expect(turn.frames.at(-1)?.event).toBe('done');
  await until(async () => {
    const next = await say('What is my dog called?', 'killed');
    return (await packOf(next)).selected.length > 0;
  });
});

it('a rest-api that is killed inside a turn: it is said after the restart, and the next turn works', async () => {
  reply = { text: ['The beginning', ' and the end'], until: new Promise(() => undefined) };
  const turn = await say('Tell me of the lighthouse keeper.', 'cut');
  await expect.poll(() => saidIn(turn.frames)).toBe('The beginning');
  const pid = await pidOf('rest-api');
  process.kill(pid, 'SIGKILL');
  await turn.ended;
  await until(async () => (await pidOf('rest-api').catch(() => pid)) !== pid);
  const read = async () => {
    const reading = await readTurn(`${api()}/${turn.eventId}/stream`, { token: world.token });
    await reading.ended;
    return reading.frames;
  };
  const frames = await read();
  expect('The beginning'.startsWith(saidIn(frames))).toBe(true);
  expect(frames.at(-1)).toMatchObject({ event: 'error', data: { code: 'llm_stream_failed' } });
  reply = { text: 'Fine.' };
  const next = await say('And now?', 'cut');
  await next.ended;
  expect(saidIn(next.frames)).toBe('Fine.');
  wanted = 'lighthouse';
  const { pack } = await askUntilChosen('Who keeps the lighthouse?', 'another');
  expect(pack.selected.map(({ event_id }) => event_id)).toContain(turn.eventId);
});
