import { afterAll, beforeAll, expect, it } from 'vitest';
import { completeEvent, type NewEvent, storeEvents, storeState } from '../../src/core/memory/memory-store.ts';
import { indexDocument } from '../../src/core/memory/rules/index-terms.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { rawClient, untilBlocked } from '../chat/chat-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(() => world.close());

const NOW = new Date('2026-01-02T03:04:05.678Z');

function chatEvent(event: Partial<NewEvent> = {}): NewEvent {
  return {
    projectId: null,
    clientId: 'person',
    threadId: 'thread',
    source: 'chat',
    assistantState: 'complete',
    createdAt: NOW,
    ...event,
  };
}

const store = (agentId: string, events: readonly NewEvent[]) =>
  world.database.transaction((tx) => storeEvents(tx, agentId, events));

const documentOf = (id: string) =>
  world.database.db
    .selectFrom('memoryDocuments')
    .select(['agentId', 'projectId', 'createdAt', 'length', 'terms'])
    .where((where) => where.or([where('eventId', '=', id), where('stateId', '=', id)]))
    .executeTakeFirst();

const linksOf = (agentId: string) =>
  world.database.db
    .selectFrom('memoryEventLinks as link')
    .innerJoin('memoryEvents as event', 'event.id', 'link.fromEventId')
    .select(['link.fromEventId', 'link.toEventId', 'link.label'])
    .where('event.agentId', '=', agentId)
    .orderBy('event.seq')
    .execute();

it('stores events in their order, each with the document that it is found by', async () => {
  const { agentId, projectId } = await world.agentInProject();
  const texts = {
    actor: 'Mika',
    userText: '猫の名前は？',
    assistantText: 'It is "Tama" \\ {x}',
    caption: 'a cat',
  };
  const { stored } = await store(agentId, [
    chatEvent({ ...texts, projectId }),
    chatEvent({ id: 'evt_given' }),
  ]);
  const [first = ''] = stored;
  expect(stored).toEqual([expect.stringMatching(/^evt_/), 'evt_given']);
  expect(
    await world.database.db
      .selectFrom('memoryEvents')
      .select(['id', 'projectId', 'actor', 'userText', 'assistantText', 'caption', 'createdAt'])
      .where('agentId', '=', agentId)
      .orderBy('seq')
      .execute(),
  ).toEqual([
    { id: first, projectId, ...texts, createdAt: NOW },
    expect.objectContaining({ id: 'evt_given', projectId: null, userText: null }),
  ]);
  const { terms, length } = indexDocument({
    agentId,
    createdAt: NOW,
    actor: 'Mika',
    texts: [texts.userText, texts.assistantText, texts.caption],
  });
  expect(await documentOf(first)).toEqual({ agentId, projectId, createdAt: NOW, length, terms });
});

it('stores what has the same sourceRef once for each agent, also within one batch', async () => {
  const { agentId } = await world.agentInProject();
  const other = await world.agentInProject();
  const event = chatEvent({ source: 'import', sourceRef: 'line-1' });
  expect((await store(agentId, [event, { ...event, userText: 'again' }])).stored).toHaveLength(1);
  expect((await store(agentId, [event, { ...event, sourceRef: 'line-2' }])).stored).toHaveLength(1);
  expect((await store(other.agentId, [event])).stored).toHaveLength(1);
  expect((await store(agentId, [])).stored).toEqual([]);
});

it('takes the same sourceRef of another project or another source for something else', async () => {
  const { agentId, projectId } = await world.agentInProject();
  const imported = chatEvent({ source: 'import', sourceRef: 'msg:msg_1', projectId });
  const others = [
    { ...imported, projectId: null },
    { ...imported, source: 'chat' as const },
  ];
  expect((await store(agentId, [imported])).stored).toHaveLength(1);
  expect((await store(agentId, others)).stored).toHaveLength(2);
  expect((await store(agentId, [imported, ...others])).stored).toEqual([]);
});

it('links a chat event to the previous one of its client in the same scope', async () => {
  const { agentId, projectId } = await world.agentInProject();
  const at = (second: number) => new Date(NOW.getTime() + second * 1_000);
  const [one = '', two = '', three = ''] = (
    await store(agentId, [
      chatEvent({ id: `${agentId}_1`, createdAt: at(1) }),
      chatEvent({ id: `${agentId}_2`, createdAt: at(1), threadId: 'another thread' }),
      chatEvent({ id: `${agentId}_3`, createdAt: at(3) }),
      chatEvent({ id: `${agentId}_4`, createdAt: at(4), clientId: 'somebody else' }),
      chatEvent({ id: `${agentId}_5`, createdAt: at(5), projectId }),
      chatEvent({ id: `${agentId}_6`, createdAt: at(6), source: 'import' }),
    ])
  ).stored;
  expect(await linksOf(agentId)).toEqual([
    { fromEventId: two, toEventId: one, label: 'reply_to' },
    { fromEventId: three, toEventId: two, label: 'reply_to' },
  ]);
});

it('links to the event before the previous one when that is deleted meanwhile', async () => {
  const { agentId } = await world.agentInProject();
  const event = (number: number) =>
    chatEvent({ id: `${agentId}_${number}`, createdAt: new Date(NOW.getTime() + number * 1_000) });
  await store(agentId, [event(1), event(2)]);
  const deletion = await rawClient(world);
  await deletion.query('begin');
  await deletion.query('delete from memory_events where id = $1', [`${agentId}_2`]);
  const storing = store(agentId, [event(3)]);
  await untilBlocked(world, 1);
  await deletion.query('commit');
  await deletion.end();
  expect((await storing).stored).toEqual([`${agentId}_3`]);
  expect(await linksOf(agentId)).toEqual([
    { fromEventId: `${agentId}_3`, toEventId: `${agentId}_1`, label: 'reply_to' },
  ]);
});

it('writes a reply and its document anew, and nothing for an event that is gone', async () => {
  const { agentId } = await world.agentInProject();
  const { stored } = await store(agentId, [chatEvent({ userText: 'question', assistantState: 'failed' })]);
  const [id = ''] = stored;
  const complete = (eventId: string) =>
    world.database.transaction((tx) =>
      completeEvent(tx, eventId, { assistantText: 'the answer', assistantState: 'partial' }),
    );
  expect(await complete(id)).toBe(true);
  expect(await complete('evt_gone')).toBe(false);
  const expected = indexDocument({ agentId, createdAt: NOW, texts: ['question', 'the answer'] });
  expect(await documentOf(id)).toMatchObject(expected);
  const row = world.database.db.selectFrom('memoryEvents').select(['assistantText', 'assistantState']);
  expect(await row.where('id', '=', id).executeTakeFirst()).toEqual({
    assistantText: 'the answer',
    assistantState: 'partial',
  });
});

it('stores a state with its first revision and its document', async () => {
  const { agentId, projectId } = await world.agentInProject();
  const id = await world.database.transaction((tx) =>
    storeState(tx, agentId, {
      projectId,
      kind: 'fact',
      bodyText: 'The cat is called Tama.',
      payload: { about: 'cat' },
      at: NOW,
      evidence: ['evt_a', 'evt_b'],
      reason: 'the person said so',
      madeBy: 'agent',
    }),
  );
  const revision = world.database.db.selectFrom('memoryRevisions').selectAll().where('stateId', '=', id);
  expect(await revision.executeTakeFirst()).toMatchObject({
    op: 'upsert',
    before: null,
    after: { bodyText: 'The cat is called Tama.', payload: { about: 'cat' }, confidence: 1, validTo: null },
    reason: 'the person said so',
    evidence: ['evt_a', 'evt_b'],
    madeBy: 'agent',
  });
  expect(await documentOf(id)).toMatchObject(
    indexDocument({ agentId, createdAt: NOW, texts: ['The cat is called Tama.'] }),
  );
});
