import { afterAll, beforeAll, expect, it } from 'vitest';
import { searchMemoryBodySchema } from '../../src/contract/memory.ts';
import type { Person } from '../../src/core/access/person.ts';
import { AgentMemory } from '../../src/core/agent-memory/agent-memory.ts';
import { MemoryFollower } from '../../src/core/memory/follow/memory-follower.ts';
import { MemoryService } from '../../src/core/memory/memory-service.ts';
import { openPlanRecorder, type PlanRecorder } from '../../src/testing/recorded-plans.ts';
import type { ServiceWorld } from '../../src/testing/service-world.ts';
import { type Talker, TalkWorld } from '../conversations/conversation-support.ts';
import { retrievalOf } from './memory-support.ts';
import { aState, chatEvents, tablesWith } from './stored-memory.ts';

/* A message is searched for before it is an event: when the event is deleted, these searches go with it. */

const OTHER: Person = { id: 'bea', name: 'Bea', accessLevel: 'owner' };

let talk: TalkWorld;
let world: ServiceWorld;
let memory: MemoryService;
let recorder: PlanRecorder | undefined;
beforeAll(async () => {
  talk = await TalkWorld.create();
  world = talk.services;
  memory = new MemoryService(world.deps);
  await world.database.db
    .insertInto('agents')
    .values({ id: OTHER.id, type: 'human', name: OTHER.name, accessLevel: 'owner' })
    .execute();
});
afterAll(async () => {
  await recorder?.close();
  await world.close();
});

const agentMemory = () =>
  new AgentMemory({ ...world.deps, memory: retrievalOf(world), deliveries: world.delivery });

const worker = async (): Promise<Talker> => talk.warm(await world.agentInProject());

/** What waits is searched for as a delivery does it. */
async function searchWaiting({ caller }: Talker): Promise<void> {
  const said = await agentMemory().waiting(caller);
  if (said) await agentMemory().packFor(caller, said);
}

/** As an agent recalls by its tool. */
async function searchBy({ caller, agentId, projectId }: Talker, query: string): Promise<void> {
  const body = searchMemoryBodySchema.parse({ query, expand: false });
  const { runId } = await retrievalOf(world).search({ agentId, projectId }, body);
  await world.delivery.noteRetrieval(caller, { runId });
}

async function answered({ caller }: Talker): Promise<void> {
  await world.delivery.take(caller);
  await world.delivery.respond(caller, { content: 'I see.' });
  const { database, logger } = world.deps;
  const follower = new MemoryFollower({ database, logger });
  while ((await follower.runOnce()).isPending);
}

async function say({ agentId, projectId }: Talker, content: string, person = world.owner): Promise<void> {
  await world.chat.post(person, { agentId, projectId, content });
}

async function eventWith({ agentId }: Talker, text: string): Promise<string> {
  const { id } = await world.database.db
    .selectFrom('memoryEvents')
    .select('id')
    .where('agentId', '=', agentId)
    .where('userText', 'like', `%${text}%`)
    .executeTakeFirstOrThrow();
  return id;
}

const runsOf = async (agentId: string) =>
  (
    await world.database.db
      .selectFrom('retrievalRuns')
      .select('query')
      .where('agentId', '=', agentId)
      .orderBy('query')
      .execute()
  ).map(({ query }) => query);

it('what was searched for a message goes with its event, whoever else spoke and however long it was', async () => {
  const agent = await worker();
  await say(agent, 'The quokka is ill.');
  await searchWaiting(agent);
  await say(agent, `${'a long story '.repeat(250)}of the quokka, told to its end`);
  await searchWaiting(agent);
  await say(agent, 'another thing '.repeat(100).trim(), OTHER);
  await searchWaiting(agent);
  await answered(agent);
  expect(await runsOf(agent.agentId)).toHaveLength(3);
  await memory.deleteEvent(world.owner, { agentId: agent.agentId, id: await eventWith(agent, 'quokka') });
  // Of the messages only the chat itself, which keeps them.
  expect((await tablesWith(world, 'quokka')).filter((name) => !name.startsWith('chat_'))).toEqual([]);
  expect(await runsOf(agent.agentId)).toEqual([]);
});

it('what was searched for something else stays, also with the same words', async () => {
  const agent = await worker();
  const scope = { agentId: agent.agentId, projectId: agent.projectId };
  await retrievalOf(world).recall(scope, {
    text: 'はい',
    clientId: 'c',
    messageIds: ['msg_else'],
  });
  await say(agent, 'はい');
  await searchWaiting(agent);
  await answered(agent);
  expect(await runsOf(agent.agentId)).toEqual(['はい', 'はい']);
  await memory.deleteEvent(world.owner, { agentId: agent.agentId, id: await eventWith(agent, 'はい') });
  expect(await runsOf(agent.agentId)).toEqual(['はい']);
});

it('what an agent searches by itself while it answers a message goes with its event', async () => {
  const agent = await worker();
  await say(agent, 'The numbat is ill.');
  await world.delivery.take(agent.caller);
  await searchBy(agent, 'a doctor for numbats');
  await answered(agent);
  await searchBy(agent, 'something else');
  await memory.deleteEvent(world.owner, { agentId: agent.agentId, id: await eventWith(agent, 'numbat') });
  expect(await runsOf(agent.agentId)).toEqual(['something else']);
});

const ANOTHER = `insert into retrieval_runs (id, agent_id, event_id, query, plan, plan_source, candidates, timings, errors,
    selected, selected_source, words_of)
  select $1 || n, $2, $3, 'what was it?', '{}', 'rules', '{}', '{}', '{}', $4, 'rank', $5
  from generate_series(1, $6::int) n`;

it('a deletion reads only the runs that hold its words, among any number', async () => {
  const { agentId } = await world.agentInProject();
  const [id = ''] = await chatEvents(world, agentId, [{ userText: 'the bilby' }]);
  await world.database.pool.query(ANOTHER, ['other', agentId, null, '[]', ['evt_other'], 20_000]);
  await world.database.pool.query(ANOTHER, ['own', agentId, null, '[]', [id], 3]);
  await world.database.pool.query('vacuum analyze retrieval_runs');
  recorder = await openPlanRecorder(world.database.url, world.clock);
  const recorded = new MemoryService({ ...world.deps, database: recorder.database });
  const plans = await recorder.plansOf(() => recorded.deleteEvent(world.owner, { agentId, id }));
  const read = plans.flatMap(({ reads }) => reads).filter(({ table }) => table === 'retrieval_runs');
  expect(read.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(20);
  const { rows } = await world.database.pool.query<{ count: number }>(
    'select count(*)::int as count from retrieval_runs where agent_id = $1',
    [agentId],
  );
  expect(rows).toEqual([{ count: 20_000 }]);
});

it('takes a state out of more runs than one transaction changes', async () => {
  const { agentId } = await world.agentInProject();
  const [event = ''] = await chatEvents(world, agentId, [{ userText: 'the dunnart' }]);
  const id = await aState(world, agentId, { bodyText: 'likes dunnarts', evidence: [] });
  const part = (key: string, of: string, why: string) => ({
    event_id: null,
    state_id: null,
    [key]: of,
    why,
    snippet: why,
  });
  const selected = JSON.stringify([part('state_id', id, 'a dunnart'), part('event_id', event, 'kept')]);
  await world.database.pool.query(ANOTHER, ['turn', agentId, event, selected, [id, event], 1_200]);
  await memory.deleteState(world.owner, { agentId, id });
  const { rows } = await world.database.pool.query<{ selected: string; words: string[]; count: number }>(
    `select selected::text as selected, words_of as words, count(*)::int as count from retrieval_runs
     where agent_id = $1 group by 1, 2`,
    [agentId],
  );
  expect(rows).toMatchObject([{ count: 1_200, words: [event] }]);
  expect(rows[0]?.selected).not.toContain('dunnart');
  expect(rows[0]?.selected).toContain('kept');
});
