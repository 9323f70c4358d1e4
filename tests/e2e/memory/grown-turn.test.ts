import {
  type MemoryEvent,
  type MemoryState,
  memoryEventDetailSchema,
  memoryStatePageSchema,
  revisionPageSchema,
} from '@aizuchi/shared/contract/memory';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readTurn } from '../../../packages/rest-api/test/turn-client.ts';
import { blocksOf } from '../../../packages/rest-api/test/turn-world.ts';
import { type ChatRequest, FakeOpenAi, type FakeReply } from '../../fixtures/fake-openai.ts';
import { KillWorld } from '../kill/kill-support.ts';
import { until } from '../start/product-process.ts';

/* Turns over HTTP, in the whole product, with a scripted model that answers and says what grows. */

const CLIENT = 'page-of-a-person';
const LIKES = 'Likes sencha best';
const NOW_LIKES = 'Likes hojicha best';

let release: () => void = () => undefined;
const isReleased = new Promise<void>((resolve) => {
  release = resolve;
});
let model: FakeOpenAi;
let world: KillWorld;
let membership: { projectId: string; agentId: string };
beforeAll(async () => {
  model = await FakeOpenAi.start(script);
  world = await KillWorld.start({ MEMORY_GROWTH: 'on', LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm' });
  membership = await world.makeAgent('grown');
});
afterAll(async () => {
  await world.product.stop();
  await model.close();
});

function script(request: ChatRequest): FakeReply {
  if (request.schema === 'WritePlan') return { text: JSON.stringify(planOf(request)) };
  // The plan and the selection of a search: without them rules decide.
  if (request.schema !== undefined) return { text: '{}' };
  return { text: ['I see', ', all of it.'], until: isReleased };
}

const upsert = { op: 'upsert', state_id: null, kind: 'fact', payload: {}, confidence: 0.9 };

/** What grows out of an event: from the words of its person, as a model would. */
function planOf({ messages }: ChatRequest): object {
  const { event, states } = JSON.parse(messages.at(-1)?.content ?? '{}');
  const known: readonly { id: string; body_text: string }[] = states ?? [];
  const text: string = event?.userText ?? '';
  if (text.includes('sencha is'))
    return { state_updates: [{ ...upsert, body_text: LIKES, reason: 'said so' }] };
  if (!text.includes('hojicha now')) return { state_updates: [] };
  const before = known.find(({ body_text: body }) => body === LIKES);
  const close = before && {
    ...upsert,
    op: 'close',
    state_id: before.id,
    body_text: LIKES,
    reason: 'no more',
  };
  return {
    state_updates: [...(close ? [close] : []), { ...upsert, body_text: NOW_LIKES, reason: 'changed' }],
  };
}

const inMemory = (path: string) => `/memory/${membership.agentId}/${path}`;

function say(text: string) {
  const { projectId, agentId } = membership;
  const body = { projectId, agentId, clientId: CLIENT, text };
  return readTurn(`${world.product.environment.AIZUCHI_WEB_URL}/api/chat`, { token: world.token, body });
}

async function stored(eventId: string): Promise<MemoryEvent> {
  const path = inMemory(`events/${eventId}?projectId=${membership.projectId}`);
  return memoryEventDetailSchema.parse(await world.call('GET', path)).event;
}

async function state(bodyText: string): Promise<MemoryState> {
  let found: MemoryState | undefined;
  await until(async () => {
    const page = await world.call('GET', inMemory(`states?projectId=${membership.projectId}&kind=fact`));
    found = memoryStatePageSchema.parse(page).states.find((one) => one.bodyText === bodyText);
    return found !== undefined;
  });
  if (!found) throw new Error('not found');
  return found;
}

async function revisions(id: string) {
  const page = await world.call('GET', inMemory(`states/${id}/revisions?projectId=${membership.projectId}`));
  return revisionPageSchema.parse(page).revisions;
}

/** A turn about it is given this from memory; on a busy machine one may come without. */
async function untilGiven(bodyText: string): Promise<void> {
  await until(async () => {
    await (await say('Which of all teas is my favourite?')).ended;
    const asked = model.requests.findLast(({ schema, stream }) => schema === undefined && stream);
    return JSON.stringify(asked && blocksOf(asked).get('SearchResultPack')).includes(bodyText);
  });
}

it('a turn is stored before its answer, grows, is corrected, and the next turn sees what holds', async () => {
  const first = await say('Of all teas sencha is my favourite.');
  await until(() => first.frames.some(({ event }) => event === 'token'));
  const before = await stored(first.eventId);
  expect(before.userText).toBe('Of all teas sencha is my favourite.');
  expect(before.assistantText, 'there is no answer yet').toBeUndefined();
  release();
  await first.ended;
  expect(first.frames.at(-1)).toMatchObject({ event: 'done', data: { reply_text: 'I see, all of it.' } });
  expect(await stored(first.eventId), 'after it').toMatchObject({ assistantText: 'I see, all of it.' });

  const liked = await state(LIKES);
  expect(liked).toMatchObject({ evidence: [first.eventId], validTo: null });
  expect(await revisions(liked.id)).toMatchObject([
    { before: null, evidence: [first.eventId], madeBy: 'model', reason: 'said so' },
  ]);

  await untilGiven(LIKES);
  const second = await say('Of all teas I like hojicha now.');
  await second.ended;
  const now = await state(NOW_LIKES);
  expect(now).toMatchObject({ evidence: [second.eventId], validTo: null });
  expect(await state(LIKES)).toMatchObject({ validTo: expect.any(String) });
  expect(await revisions(liked.id), 'the newest first').toMatchObject([
    { evidence: expect.arrayContaining([second.eventId]), madeBy: 'model', reason: 'no more' },
    { evidence: [first.eventId] },
  ]);

  await untilGiven(NOW_LIKES);
});
