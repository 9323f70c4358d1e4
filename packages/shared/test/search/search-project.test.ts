import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { searchProjectBodySchema } from '../../src/contract/search.ts';
import type { Person } from '../../src/core/access/person.ts';
import { MemoryClient } from '../../src/core/memory/memory-client.ts';
import { type NewEvent, storeEvents, storeState } from '../../src/core/memory/memory-store.ts';
import type { Memory } from '../../src/core/memory/recall.ts';
import { messageRef } from '../../src/core/memory/rules/message-ref.ts';
import { MAX_READ_LENGTH, shownMemories } from '../../src/core/search/found-memories.ts';
import { searchedTerms } from '../../src/core/search/rules/marks.ts';
import { searchMemories } from '../../src/core/search/search-memories.ts';
import { foundEvents } from '../../src/core/search/search-queries.ts';
import { SearchService } from '../../src/core/search/search-service.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { TalkWorld } from '../conversations/conversation-support.ts';
import { retrievalOf } from '../memory/memory-support.ts';

let world: ServiceWorld;
let memory: Memory;
let service: SearchService;
let tasks: TaskService;
let agentId: string;
let projectId: string;
beforeAll(async () => {
  world = await ServiceWorld.create();
  memory = retrievalOf(world);
  service = new SearchService({ ...world.deps, memory, deadlineMs: LONG_TIMEOUT_MS });
  tasks = new TaskService(world.deps);
});
afterAll(() => world.close());
beforeEach(async () => {
  ({ agentId, projectId } = await world.agentInProject());
});

const NOW = new Date('2026-05-08T10:00:00.000Z');

function remembered(ofAgent: string, ...events: Partial<NewEvent>[]) {
  return world.database.transaction((tx) =>
    storeEvents(
      tx,
      ofAgent,
      events.map((event) => ({
        projectId,
        clientId: 'c',
        threadId: 't',
        source: 'chat',
        assistantState: 'complete',
        createdAt: NOW,
        ...event,
      })),
    ),
  );
}

const posted = async (content: string) =>
  (await world.chat.post(world.owner, { projectId, agentId, content })).message.id;
const search = (query: string, more: object = {}, by = service, person: Person = world.owner) =>
  by.ofProject(person, projectId, searchProjectBodySchema.parse({ query, ...more }));

it('finds a task, a chat message and a memory, each with its kind, its legs and where it is marked', async () => {
  const task = await tasks.create(world.owner, projectId, {
    title: '締め日の不具合を直す',
    description: 'The closing day is off by one.',
  });
  const messageId = await posted('締め日が 1 日ずれます');
  await remembered(agentId, {
    sourceRef: messageRef(messageId),
    actor: 'Owner',
    userText: '締め日が 1 日ずれます',
    assistantText: '調べます。',
  });
  const { stored } = await remembered(agentId, {
    source: 'import',
    sourceRef: 'line-1',
    userText: '締め日は口座の時刻帯で決める',
  });
  const found = await search('締め日');
  expect(found).toMatchObject({
    degraded: ['no_embedding'],
    total: 3,
    counts: { memory: 1, task: 1, chat: 1, conversation: 0 },
  });
  const byKind = Object.fromEntries(found.items.map((item) => [item.kind, item]));
  expect(byKind).toMatchObject({
    task: { id: task.id, title: task.title, status: 'backlog', titleMarks: [{ start: 0, end: 3 }] },
    chat: { id: messageId, agentId, messageId, saidBy: 'Owner', marks: [{ start: 0, end: 3 }] },
    memory: { id: stored[0], agentId, memoryKind: 'event', text: '締め日は口座の時刻帯で決める' },
  });
  for (const { hitSources } of found.items) expect(hitSources).toContain('ngram');
  expect(byKind.memory?.messageId).toBeUndefined();
});

it('of a turn shows the part that fits: the answer is the agent’s', async () => {
  const sourceRef = messageRef(await posted('What is it?'));
  await remembered(agentId, {
    sourceRef,
    actor: 'Owner',
    userText: 'What is it?',
    assistantText: 'A heron.',
  });
  const [item] = (await search('heron')).items;
  expect(item).toMatchObject({ kind: 'chat', text: 'A heron.', agentId });
  expect(item?.saidBy).toBeUndefined();
});

it('a conversation that both agents remember is there once, by its purpose', async () => {
  const talks = TalkWorld.on(world);
  const { a, b, id } = await talks.talking();
  ({ projectId, agentId } = a);
  await talks.say(a, b, 'ring the heron');
  await talks.say(b, a, 'the heron sleeps');
  const { messages } = await world.conversations.messages(world.owner, id, { limit: 10 });
  for (const side of [a.agentId, b.agentId])
    await remembered(
      side,
      ...messages.map(({ id: messageId, content }) => ({
        source: 'agent_conversation' as const,
        sourceRef: messageRef(messageId),
        userText: content,
      })),
    );
  const found = await search('heron');
  expect(found.counts).toEqual({ memory: 0, task: 0, chat: 0, conversation: 1 });
  expect(found.items).toMatchObject([
    { kind: 'conversation', id, conversationId: id, title: 'しりとり', sides: [a.agentId, b.agentId] },
  ]);
});

it('what an agent learnt opens where it was said, and the event of the same words is left out', async () => {
  const messageId = await posted('My cat is called Tama');
  const { stored } = await remembered(agentId, {
    sourceRef: messageRef(messageId),
    userText: 'My cat is called Tama',
  });
  const id = await world.database.transaction((tx) =>
    storeState(tx, agentId, {
      projectId,
      kind: 'fact',
      bodyText: 'My cat is called Tama',
      at: NOW,
      evidence: stored,
      reason: 'said',
      madeBy: 'agent',
    }),
  );
  expect((await search('tama')).items).toMatchObject([{ kind: 'memory', memoryKind: 'fact', id, messageId }]);
});

it('never shows another project: not its tasks, not its memories, not the messages that an import names', async () => {
  const here = { agentId, projectId };
  const secret = await posted('the secret heron');
  const second = await posted('a second secret');
  await tasks.create(world.owner, projectId, { title: 'secret heron' });
  const other = await world.agentInProject({ name: 'Other' });
  await world.projects.putAgent(world.owner, { projectId: other.projectId, agentId });
  await remembered(agentId, { sourceRef: messageRef(secret), userText: 'the secret heron' });
  projectId = other.projectId;
  expect((await search('heron')).items).toEqual([]);
  // What is made to look like a message of the other project is a memory without a place.
  await remembered(agentId, { source: 'import', sourceRef: messageRef(second), userText: 'a forged heron' });
  await remembered(other.agentId, { sourceRef: messageRef(secret), userText: 'another forged heron' });
  const forged = (await search('heron')).items;
  expect(forged.map(({ kind, messageId }) => [kind, messageId])).toEqual([
    ['memory', undefined],
    ['memory', undefined],
  ]);
  ({ agentId, projectId } = here);
  const outsider: Person = { id: 'nobody', name: 'Nobody', accessLevel: 'member' };
  await expect(search('heron', {}, service, outsider)).rejects.toMatchObject({ code: 'project_not_found' });
});

it('kinds and limit narrow the items, the counts stay those of everything that was searched', async () => {
  for (const n of [1, 2, 3]) {
    await tasks.create(world.owner, projectId, { title: `heron ${n}` });
    await remembered(agentId, { source: 'import', sourceRef: `h${n}`, userText: `heron number ${n}` });
  }
  const found = await search('heron', { kinds: ['memory'], limit: 2 });
  expect(found.items.map(({ kind }) => kind)).toEqual(['memory', 'memory']);
  expect(found).toMatchObject({ total: 3, counts: { memory: 3, task: 0 } });
  expect((await search('heron', { kinds: ['task'] })).counts).toMatchObject({ memory: 0, task: 3 });
});

it('a task is found by its new words as soon as it is changed, and not any more once it is deleted', async () => {
  const task = await tasks.create(world.owner, projectId, { title: 'heron' });
  expect((await search('heron')).items).toHaveLength(1);
  await tasks.update(world.owner, task.id, { version: task.version, title: 'egret' });
  expect((await search('heron')).items).toEqual([]);
  expect((await search('egret')).items).toMatchObject([{ id: task.id }]);
  await tasks.remove(world.owner, task.id);
  expect((await search('egret')).items).toEqual([]);
});

it('without the memory service finds tasks alone, and says so', async () => {
  const { logger } = world.deps;
  const away = new SearchService({ ...world.deps, memory: new MemoryClient({ token: 'x', logger }) });
  await tasks.create(world.owner, projectId, { title: 'heron' });
  expect(await search('heron', {}, away)).toMatchObject({
    degraded: ['memory_unavailable'],
    items: [{ kind: 'task' }],
  });
});

it('does not wait for a memory that is late: the others are shown, and the answer says that some is missing', async () => {
  const other = await world.colleague({ projectId, agentId });
  await remembered(agentId, { source: 'import', sourceRef: 'h', userText: 'heron' });
  const stuck = Promise.withResolvers<never>();
  const quick = memory.search({ agentId, projectId }, { query: 'heron', limit: 60, expand: false });
  await quick;
  const slow: Memory = {
    recall: (scope, input) => memory.recall(scope, input),
    search: ({ agentId: of }) => (of === other.agentId ? stuck.promise : quick),
  };
  const late = new SearchService({ ...world.deps, memory: slow, deadlineMs: 1_000 });
  const found = await search('heron', {}, late);
  expect(found.items).toMatchObject([{ kind: 'memory' }]);
  expect(found.degraded).toContain('collector_late');
});

it('reads the beginning of long texts only, and lets others go on between the hits', async () => {
  const long = `heron ${'長い文章です。'.repeat(1_500)}`;
  const { stored } = await remembered(
    agentId,
    ...Array.from(
      { length: 6 },
      (_, n): Partial<NewEvent> => ({
        source: 'import',
        sourceRef: `long ${n}`,
        userText: `${n} ${long}`,
        assistantText: long,
        caption: long,
      }),
    ),
  );
  const { hits } = await searchMemories(
    { memory, logger: world.deps.logger, deadlineMs: LONG_TIMEOUT_MS },
    { projectId, agentIds: [agentId], query: 'heron' },
  );
  const events = await foundEvents(world.database.db, projectId, stored, MAX_READ_LENGTH);
  for (const { userText, assistantText, caption } of events)
    for (const text of [userText, assistantText, caption]) expect(text?.length).toBe(MAX_READ_LENGTH);
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  turn();
  const [shown] = await shownMemories(
    world.database.db,
    { projectId, terms: searchedTerms('heron') },
    hits,
  ).finally(() => {
    isDone = true;
  });
  expect(shown).toHaveLength(6);
  expect(turns).toBeGreaterThanOrEqual(6);
});

it('asks eight memories at once, and none after the deadline', async () => {
  const waiting: (() => void)[] = [];
  const asked: string[] = [];
  const slow: Memory = {
    recall: (scope, input) => memory.recall(scope, input),
    async search(scope, body) {
      asked.push(scope.agentId);
      await new Promise<void>((go) => waiting.push(go));
      return memory.search(scope, body);
    },
  };
  const agentIds = Array.from({ length: 20 }, (_, n) => `agent-${n}`);
  const { logger } = world.deps;
  const input = { projectId, agentIds, query: 'heron' };
  const late = await searchMemories({ memory: slow, logger, deadlineMs: 50 }, input);
  expect(asked).toEqual(agentIds.slice(0, 8));
  expect(late.degraded).toEqual(['memory_unavailable']);
  for (const go of waiting.splice(0)) go();
  const quick: Memory = {
    recall: (scope, input) => memory.recall(scope, input),
    search: async () => ({ runId: 'ret_1', degraded: [], timings: {}, items: [] }),
  };
  const limits = new Set<number | undefined>();
  const counted: Memory = {
    ...quick,
    search: (scope, body) => {
      limits.add(body.limit);
      return quick.search(scope, body);
    },
  };
  const found = await searchMemories({ memory: counted, logger }, input);
  expect([...found.hits.keys()].toSorted()).toEqual(agentIds.toSorted());
  expect(asked).toHaveLength(8);
  // What is read and marked is bounded for all of them together.
  expect([...limits]).toEqual([30]);
});
