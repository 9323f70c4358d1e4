/**
 * A person's `POST /api/chat` → the first token of the reply, beyond the model's own time to its first token. The agent
 * remembers 10,000 events; the model is a script on loopback that answers at once what it is asked for: the plan, the
 * selection, the reply. Floor in the same run, by turns with the samples: a streamed reply asked of that model directly.
 * `npm run bench -- ttft [--samples 200] [--events 10000]`
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type ChatRequest, FakeOpenAi, type FakeReply } from '../../tests/fixtures/fake-openai.ts';
import { LANGUAGES, readConversation } from './memory/conversation.ts';
import { madeTurns, storeTurns } from './memory/fill.ts';
import { openBenchWorld } from './support/bench-world.ts';
import { percentiles, row } from './support/statistics.ts';

const { values: options } = parseArgs({
  options: { samples: { type: 'string', default: '200' }, events: { type: 'string', default: '10000' } },
});
const WARM_UPS = 20;
const REPLY = ['Yes', ', that was', ' last spring.'];
const MAX_CHOSEN = 3;
const PLAN = {
  mode: 'associative_recent',
  queries: [],
  time_hint: { about_year_start: null, about_year_end: null, life_stage_hint: '' },
  diversify: { by: [], per_bucket: 5 },
  limits: { max_candidates: 200, max_selected: 12 },
};
const candidatesSchema = z.object({ candidates: z.array(z.object({ event_id: z.string().optional() })) });

/** When the model was asked last, by what for. */
const asked = { plan: 0, selection: 0, reply: 0 };
const model = await FakeOpenAi.start(answerOf);
const world = await openBenchWorld('rest-api,memory', 0, {}, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm' });
try {
  const [agent] = await world.warmAgents(1, 1);
  if (!agent) throw new Error('no agent');
  const { agentId, projectId } = agent;
  await storeTurns(world.database, agentId, [...madeTurns(Number(options.events))]);
  const questions = LANGUAGES.flatMap((language) => readConversation(language).reported);
  const times: Record<'floor' | 'plan' | 'selection' | 'reply' | 'token' | 'beyond', number[]> = {
    floor: [],
    plan: [],
    selection: [],
    reply: [],
    token: [],
    beyond: [],
  };
  for (let sample = -WARM_UPS; sample < Number(options.samples); sample += 1) {
    const text = questions[((sample + WARM_UPS) * 7) % questions.length]?.text ?? '';
    const floor = await firstTokenOf(`${model.baseUrl}/chat/completions`, `"content":"${REPLY[0]}"`, {
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: text }],
    });
    const turn = await firstTokenOf(`${world.webUrl}/api/chat`, 'event: token', { agentId, projectId, text });
    if (Object.values(asked).some((at) => at < turn.from))
      throw new Error('a turn did not ask the model for plan, selection and reply');
    if (sample < 0) continue;
    const ofFloor = floor.at - floor.from;
    const ofTurn = turn.at - turn.from;
    times.floor.push(ofFloor);
    times.plan.push(asked.plan - turn.from);
    times.selection.push(asked.selection - turn.from);
    times.reply.push(asked.reply - turn.from);
    times.token.push(ofTurn);
    times.beyond.push(ofTurn - ofFloor);
  }
  console.log(row('floor: the model → first token', percentiles(times.floor)));
  console.log(row('POST → the model is asked for the plan', percentiles(times.plan)));
  console.log(row('POST → the model is asked for the selection', percentiles(times.selection)));
  console.log(row('POST → the model is asked for the reply', percentiles(times.reply)));
  console.log(row('POST → first token', percentiles(times.token)));
  const beyond = percentiles(times.beyond);
  console.log(row("POST → first token, beyond the model's own", beyond));
  console.log(`p95 ${beyond.p95.toFixed(1)} ms (at most 100, aim 40), ${options.events} events of the agent`);
} finally {
  await world.close();
  await model.close();
}

/** Sends a request and reads its answer to the end; `at`: when `mark` had come. */
async function firstTokenOf(url: string, mark: string, body: object): Promise<{ from: number; at: number }> {
  const from = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.ownerToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  let text = '';
  let at: number | undefined;
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (at === undefined && text.includes(mark)) at = performance.now();
  }
  if (at === undefined) throw new Error(`no token: ${response.status} ${text}`);
  return { from, at };
}

function answerOf(request: ChatRequest): FakeReply {
  const { schema, messages } = request;
  const what = schema === 'SearchPlan' ? 'plan' : schema === 'SearchResultPack' ? 'selection' : 'reply';
  asked[what] = performance.now();
  if (what === 'plan') return { text: JSON.stringify(PLAN) };
  if (what === 'reply') return { text: REPLY };
  const { candidates } = candidatesSchema.parse(JSON.parse(messages.at(-1)?.content ?? ''));
  const selected = candidates.slice(0, MAX_CHOSEN).map(({ event_id = null }) => ({
    type: 'event',
    event_id,
    state_id: null,
    affect_id: null,
    why: 'words',
    snippet: '',
  }));
  return { text: JSON.stringify({ selected }) };
}
