import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChatService } from '../../src/core/chat/chat-service.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { expectInvariants, rawClient, untilBlocked } from './chat-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

/** Connections of their own, and how often each way was taken on them. */
let own: Database;
let counts: { statements: number; transactions: number };
let chat: ChatService;
beforeEach(() => {
  // A long limit: a busy machine is no reason to give up what a test holds up.
  own = openDatabase({
    clock: world.clock,
    url: world.database.url,
    applicationName: 'own',
    transactionTimeoutMs: LONG_TIMEOUT_MS,
  });
  counts = { statements: 0, transactions: 0 };
  chat = new ChatService({ ...world.deps, database: counting(own) });
});
afterEach(() => own.close());

function counting(database: Database): Database {
  return {
    ...database,
    statement: (query) => {
      counts.statements += 1;
      return database.statement(query);
    },
    transaction: (work) => {
      counts.transactions += 1;
      return database.transaction(work);
    },
  };
}

async function warmAgent(): Promise<WorldAgent> {
  const membership = await world.agentInProject();
  await world.warmAgent(membership);
  return membership;
}

async function warmAgents(count: number): Promise<[WorldAgent, ...WorldAgent[]]> {
  const pairs: [WorldAgent, ...WorldAgent[]] = [await warmAgent()];
  while (pairs.length < count) pairs.push(await warmAgent());
  return pairs;
}

async function contentsIn(membership: WorldAgent): Promise<string[]> {
  const { messages } = await world.history.list(world.owner, { ...membership, limit: 200 });
  return messages.filter(({ sender }) => sender === 'user').map(({ content }) => content);
}

describe('a batch with something wrong in it', () => {
  it('a clientMessageId that stands already, or comes twice, leaves the others in their one statement', async () => {
    const pairs = await warmAgents(4);
    const [first] = pairs;
    const known = { ...first, content: 'known', clientMessageId: 'known' };
    const stored = await world.chat.post(world.owner, known);
    const twice = { ...first, content: 'twice', clientMessageId: 'twice' };
    const results = await Promise.all(
      [
        known,
        twice,
        twice,
        ...pairs.map((membership) => ({ ...membership, content: 'new', clientMessageId: 'new' })),
      ].map((post) => chat.post(world.owner, post)),
    );
    expect(results.map(({ created }) => created)).toEqual([false, true, false, true, true, true, true]);
    expect(results[0]?.message).toEqual(stored.message);
    expect(results[2]?.message).toEqual(results[1]?.message);
    expect(counts).toEqual({ statements: 1, transactions: 2 });
    for (const membership of pairs) expect((await contentsIn(membership)).at(-1)).toBe('new');
  });

  it('a clientMessageId that was stored after the statement began does not fail it', async () => {
    // The named point: who reads projects on connections called "own" waits there, with his snapshot taken.
    await world.database.pool.query(`
      alter table projects rename to all_projects;
      create function at_the_gate() returns boolean language plpgsql as $$ begin
        if current_setting('application_name') = 'own' then
          perform pg_advisory_lock_shared(4711);
          perform pg_advisory_unlock_shared(4711);
        end if;
        return true;
      end $$;
      create view projects as select * from all_projects where at_the_gate()`);
    const pairs = await warmAgents(3);
    const gate = await rawClient(world);
    await gate.query('select pg_advisory_lock(4711)');
    const batch = pairs.map((membership) =>
      chat.post(world.owner, { ...membership, content: 'same', clientMessageId: 'late' }),
    );
    await untilBlocked(world, 1);
    const [membership] = pairs;
    const first = await world.chat.post(world.owner, {
      ...membership,
      content: 'same',
      clientMessageId: 'late',
    });
    await gate.end();
    const results = await Promise.all(batch);
    expect(results.map(({ created }) => created)).toEqual([false, true, true]);
    expect(results[0]?.message).toEqual(first.message);
    expect(counts).toEqual({ statements: 1, transactions: 1 });
  });

  it('what nobody foresaw is told to its post alone; the others do not go the normal way', async () => {
    await world.database.pool.query(
      `alter table chat_messages add constraint no_poison check (content <> 'poison') not valid`,
    );
    const pairs = await warmAgents(4);
    const posts = [0, 1, 2, 3].flatMap((round) =>
      pairs.map((membership, index) => ({
        ...membership,
        content: round === 2 && index === 1 ? 'poison' : `post ${round}`,
      })),
    );
    const results = await Promise.allSettled(posts.map((post) => chat.post(world.owner, post)));
    expect(results.map(({ status }) => status)).toEqual(
      posts.map(({ content }) => (content === 'poison' ? 'rejected' : 'fulfilled')),
    );
    // 16, 8 + 8, 4 + 4, 2 + 2, 1 + 1.
    expect(counts).toEqual({ statements: 9, transactions: 1 });
    expect(await Promise.all(pairs.map(contentsIn))).toEqual(
      pairs.map((_, index) => ['post 0', 'post 1', ...(index === 1 ? [] : ['post 2']), 'post 3']),
    );
  });
});

describe('posts of one thread that are sent before the one before is acknowledged', () => {
  it('keep their order when an earlier one has to take the normal way and wait there', async () => {
    const [membership, other] = [await warmAgent(), await warmAgent()];
    const { id: relatedTaskId } = await new TaskService(world.deps).create(
      world.owner,
      membership.projectId,
      {
        title: 'Task',
      },
    );
    const gate = await rawClient(world);
    await gate.query('begin');
    await gate.query('select from project_agents where project_id = $1 for update', [membership.projectId]);
    const first = chat.post(world.owner, { ...membership, content: 'first', relatedTaskId });
    await untilBlocked(world, 1);
    const rest = ['second', 'third'].map((content) => chat.post(world.owner, { ...membership, content }));
    // Comes after them, to another thread, and is stored: by now they would be too, had they not waited.
    expect((await chat.post(world.owner, { ...other, content: 'x' })).created).toBe(true);
    await gate.query('commit');
    await gate.end();
    await Promise.all([first, ...rest]);
    expect(await contentsIn(membership)).toEqual(['first', 'second', 'third']);
  });
});
