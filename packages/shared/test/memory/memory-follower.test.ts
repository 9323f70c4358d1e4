import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { MemoryFollower } from '../../src/core/memory/follow/memory-follower.ts';
import { newId } from '../../src/platform/ids.ts';
import { logIsComplete } from '../../src/testing/log-is-complete.ts';
import type { ServiceWorld, WorldAgent } from '../../src/testing/service-world.ts';
import { rawClient, untilBlocked } from '../chat/chat-support.ts';
import { type Talker, TalkWorld } from '../conversations/conversation-support.ts';

let talk: TalkWorld;
let world: ServiceWorld;
beforeAll(async () => {
  talk = await TalkWorld.create();
  world = talk.services;
});
afterAll(() => world.close());

/** A process that begins to follow. */
function newFollower(limits: { oldestLogMs?: number; commitWithinMs?: number } = {}): MemoryFollower {
  const { database, logger } = world.deps;
  return new MemoryFollower({ database, logger, ...limits });
}

async function upToDate(follower = newFollower()): Promise<MemoryFollower> {
  while ((await follower.runOnce()).isPending);
  return follower;
}

async function eventsOf(agentId: string) {
  return world.database.db
    .selectFrom('memoryEvents')
    .selectAll()
    .where('agentId', '=', agentId)
    .orderBy('seq')
    .execute();
}

/** What each event of an agent holds, in the order in which they were stored. */
async function wordsOf(agentId: string) {
  return (await eventsOf(agentId)).map(({ userText, assistantText }) => [userText, assistantText]);
}

async function ask(agent: WorldAgent, content: string, person: Person = world.owner) {
  const { projectId, agentId } = agent;
  return (await world.chat.post(person, { projectId, agentId, content })).message;
}

async function turn(agent: Talker, question: string, answer: string): Promise<void> {
  await ask(agent, question);
  await world.delivery.take(agent.caller);
  await world.delivery.respond(agent.caller, { content: answer });
}

/** Until the database is past the millisecond of the last answer. */
async function untilLater(): Promise<void> {
  const isLater = async () => {
    const { rows } = await world.database.pool.query(
      `select clock_timestamp() >= max(answered_at) + interval '1 ms' as is_later from chat_messages`,
    );
    return rows[0].is_later;
  };
  await expect.poll(isLater).toBe(true);
}

async function worker(): Promise<Talker> {
  return talk.warm(await world.agentInProject({ name: 'Aki' }));
}

describe('what becomes memory', () => {
  it('a turn of a chat: what was asked together, and the answer', async () => {
    const follower = await upToDate();
    const agent = await worker();
    const first = await ask(agent, 'My cat is called Tama.');
    await ask(agent, 'How old may she get?');
    await upToDate(follower);
    expect(await eventsOf(agent.agentId)).toEqual([]);
    await world.delivery.take(agent.caller);
    await world.delivery.respond(agent.caller, { content: 'Let me think.', done: false });
    const { message } = await world.delivery.respond(agent.caller, { content: 'Twenty years.' });
    await upToDate(follower);
    expect(await eventsOf(agent.agentId)).toMatchObject([
      {
        projectId: agent.projectId,
        clientId: `pm:${agent.projectId}:${agent.agentId}:owner`,
        threadId: `${agent.projectId}/${agent.agentId}`,
        source: 'chat',
        sourceRef: `msg:${first.id}`,
        actor: 'Owner',
        userText: 'My cat is called Tama.\n\nHow old may she get?',
        assistantText: 'Twenty years.',
        assistantState: 'complete',
        createdAt: new Date(message?.createdAt ?? 0),
      },
    ]);
  });

  it('of an answer to two people, each in a turn of their own; of what needed no answer, the question', async () => {
    const follower = await upToDate();
    const agent = await worker();
    const id = newId('agt');
    await world.agents.create(world.owner, { id, name: 'Hanako', type: 'human', accessLevel: 'member' });
    await world.projects.putAgent(world.owner, { projectId: agent.projectId, agentId: id });
    await ask(agent, 'I like tea.');
    await ask(agent, 'I like coffee.', { id, name: 'Hanako', accessLevel: 'member' });
    await world.delivery.take(agent.caller);
    await world.delivery.respond(agent.caller, { content: 'Noted.' });
    await ask(agent, 'Thank you.');
    await world.delivery.take(agent.caller);
    await world.delivery.respond(agent.caller, {});
    await upToDate(follower);
    const events = await eventsOf(agent.agentId);
    expect(events.map(({ actor, userText, assistantText }) => [actor, userText, assistantText])).toEqual([
      ['Owner', 'I like tea.', 'Noted.'],
      ['Hanako', 'I like coffee.', 'Noted.'],
      ['Owner', 'Thank you.', null],
    ]);
    expect(events[1]?.clientId).toBe(`pm:${agent.projectId}:${agent.agentId}:${id}`);
  });

  it('each message between agents that was read, in the memory of both', async () => {
    const follower = await upToDate();
    const { a, b } = await talk.talking();
    await talk.say(a, b, 'ringo');
    await upToDate(follower);
    expect([await wordsOf(a.agentId), await wordsOf(b.agentId)]).toEqual([[], []]);
    await talk.read(b);
    await world.delivery.respond(b.caller, { content: 'gorira' });
    await talk.read(a);
    await world.delivery.respond(a.caller, { content: 'rappa' });
    await upToDate(follower);
    expect(await wordsOf(a.agentId)).toEqual([
      [null, 'ringo'],
      ['gorira', null],
    ]);
    expect(await eventsOf(b.agentId)).toMatchObject([
      {
        source: 'agent_conversation',
        actor: 'Worker',
        userText: 'ringo',
        assistantText: null,
        clientId: `pm:${b.projectId}:${b.agentId}:${a.agentId}`,
      },
      { actor: 'Worker', userText: null, assistantText: 'gorira' },
    ]);
  });

  it('nothing of a deleted agent, of a message that failed or of the system; also in an archived project', async () => {
    const follower = await upToDate();
    const [gone, failed, kept] = [await worker(), await worker(), await worker()];
    await turn(gone, 'q', 'a');
    await world.agents.remove(world.owner, gone.agentId);
    await ask(failed, 'q');
    await world.projects.update(world.owner, failed.projectId, { status: 'archived' });
    await turn(kept, 'q', 'a');
    await world.projects.update(world.owner, kept.projectId, { status: 'archived' });
    await upToDate(follower);
    expect(await wordsOf(gone.agentId)).toEqual([]);
    expect(await wordsOf(failed.agentId)).toEqual([]);
    expect(await wordsOf(kept.agentId)).toEqual([['q', 'a']]);
  });
});

describe('exactly once, and nothing lost', () => {
  it('what was answered while no process followed, in its order; a deleted event stays deleted', async () => {
    await upToDate();
    const agent = await worker();
    for (const n of [1, 2, 3]) await turn(agent, `q${n}`, `a${n}`);
    const follower = await upToDate();
    const all = [1, 2, 3].map((n) => [`q${n}`, `a${n}`]);
    expect(await wordsOf(agent.agentId)).toEqual(all);
    const [first] = await eventsOf(agent.agentId);
    await world.database.db
      .deleteFrom('memoryEvents')
      .where('id', '=', first?.id ?? '')
      .execute();
    await turn(agent, 'q4', 'a4');
    await upToDate(follower);
    await upToDate();
    expect(await wordsOf(agent.agentId)).toEqual([...all.slice(1), ['q4', 'a4']]);
  });

  it('of two processes at once', async () => {
    await upToDate();
    const [one, other] = [newFollower(), newFollower()];
    const agent = await worker();
    for (let n = 0; n < 5; n += 1) {
      await turn(agent, `q${n}`, `a${n}`);
      await Promise.all([upToDate(one), upToDate(other)]);
    }
    expect(await wordsOf(agent.agentId)).toEqual([0, 1, 2, 3, 4].map((n) => [`q${n}`, `a${n}`]));
    expect(one.stored + other.stored).toBe(5);
  });

  it('a process that is killed between the events and its place', async () => {
    await upToDate();
    const agent = await worker();
    await turn(agent, 'q', 'a');
    const holder = await rawClient(world);
    await holder.query('begin');
    await holder.query('select from agents where id = $1 for update', [agent.agentId]);
    const killed = newFollower()
      .runOnce()
      .then(
        () => 'stored',
        () => 'killed',
      );
    await untilBlocked(world, 1);
    await holder.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(await killed).toBe('killed');
    await holder.query('rollback');
    await holder.end();
    expect(await wordsOf(agent.agentId)).toEqual([]);
    await upToDate();
    await upToDate();
    expect(await wordsOf(agent.agentId)).toEqual([['q', 'a']]);
  });

  it('after a time away that the log does not cover', async () => {
    await upToDate();
    const agent = await worker();
    for (let n = 0; n < 120; n += 1) await turn(agent, `q${n}`, `a${n}`);
    await world.database.pool.query('truncate change_log');
    await newFollower({ oldestLogMs: 0 }).runOnce();
    expect(await wordsOf(agent.agentId)).toEqual(Array.from({ length: 120 }, (_, n) => [`q${n}`, `a${n}`]));
    const count = (await eventsOf(agent.agentId)).length;
    await newFollower({ oldestLogMs: 0 }).runOnce();
    expect(await eventsOf(agent.agentId)).toHaveLength(count);
  });

  it('what an older transaction held back, when the process ends before it could be read from the log', async () => {
    const follower = await upToDate(newFollower({ commitWithinMs: 0 }));
    const agent = await worker();
    await turn(agent, 'q1', 'a1');
    await upToDate(follower);
    const older = await rawClient(world);
    try {
      await older.query('begin; select pg_current_xact_id()');
      await turn(agent, 'q2', 'a2');
      await untilLater();
      expect(await follower.runOnce()).toEqual({ isPending: true });
      expect(await wordsOf(agent.agentId)).toEqual([['q1', 'a1']]);
      await newFollower({ oldestLogMs: 0, commitWithinMs: 0 }).runOnce();
    } finally {
      await older.end();
    }
    expect(await wordsOf(agent.agentId)).toEqual([
      ['q1', 'a1'],
      ['q2', 'a2'],
    ]);
  });

  it('its place is saved again soon after events, and then not: a deleted event is not read again from messages', async () => {
    const follower = await upToDate(newFollower({ commitWithinMs: 0 }));
    const agent = await worker();
    const saved = async () => {
      await upToDate(follower);
      const { rows } = await world.database.pool.query('select updated_at::text from memory_follower');
      return rows[0].updated_at;
    };
    const before = await saved();
    await turn(agent, 'q', 'a');
    await logIsComplete(world.database);
    const [withEvents, soonAfter, later] = [await saved(), await saved(), await saved()];
    expect(new Set([before, withEvents, soonAfter]).size).toBe(3);
    expect(later).toBe(soonAfter);
    await world.database.db.deleteFrom('memoryEvents').where('agentId', '=', agent.agentId).execute();
    await newFollower({ oldestLogMs: 0, commitWithinMs: 0 }).runOnce();
    expect(await wordsOf(agent.agentId)).toEqual([]);
  });

  it('in a database that was restored: its log is empty, and its positions mean nothing', async () => {
    const follower = await upToDate();
    const agent = await worker();
    await turn(agent, 'before', 'a');
    await world.database.pool.query('truncate change_log');
    await world.database.pool.query(
      `insert into log_epoch (epoch, cluster) values ('another', 'c')
       on conflict (only_row) do update set epoch = excluded.epoch`,
    );
    await turn(agent, 'after', 'a');
    await upToDate(follower);
    await upToDate();
    expect(await wordsOf(agent.agentId)).toEqual([
      ['before', 'a'],
      ['after', 'a'],
    ]);
  });

  it('when the batches were forgotten with their sessions, the answer is found by its place', async () => {
    await upToDate();
    const agent = await worker();
    await turn(agent, 'q1', 'a1');
    await turn(agent, 'q2', 'a2');
    await world.database.pool.query('truncate delivery_batches');
    await upToDate();
    expect(await wordsOf(agent.agentId)).toEqual([
      ['q1', 'a1'],
      ['q2', 'a2'],
    ]);
  });
});

it('a hint wakes it, and one that is stopped stores nothing more', async () => {
  const follower = await upToDate();
  const agent = await worker();
  await turn(agent, 'q1', 'a1');
  follower.onKeys(['a:x/y']);
  follower.onKeys([`l:${agent.projectId}`]);
  await expect.poll(() => wordsOf(agent.agentId)).toEqual([['q1', 'a1']]);
  await follower.stop();
  await turn(agent, 'q2', 'a2');
  follower.onKeys([`l:${agent.projectId}`]);
  await follower.stop();
  expect(await wordsOf(agent.agentId)).toHaveLength(1);
});
