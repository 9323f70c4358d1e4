import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { ChatService } from '../../src/core/chat/chat-service.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { AppError } from '../../src/platform/errors.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { expectInvariants, rawClient, rowOf, untilBlocked } from './chat-support.ts';

let world: ServiceWorld;
/** A chat service that never finds the common case: everything goes load under lock, decide, save. */
let slow: ChatService;
let fastHits = 0;

beforeAll(async () => {
  world = await ServiceWorld.create();
  slow = new ChatService({
    ...world.deps,
    database: interceptFastPosts(world.database, async () => []),
  });
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

/** The database handle with another way to answer the statement of the fast path. */
function interceptFastPosts(
  database: Database,
  answer: (run: () => Promise<unknown[]>) => Promise<unknown[]>,
): Database {
  const statement = (query: { name: string; text: string; values: unknown[] }) => {
    const run = () => database.statement(query);
    return query.name === 'post_message' ? answer(run) : run();
  };
  // Through the original object, so that onCommit stays the one that is set there.
  return new Proxy(database, {
    get: (target, property) => (property === 'statement' ? statement : Reflect.get(target, property)),
  });
}

function countingFastHits(): ChatService {
  const database = interceptFastPosts(world.database, async (run) => {
    const result = await run();
    fastHits += result.length;
    return result;
  });
  return new ChatService({ ...world.deps, database });
}

async function storedIn(membership: WorldAgent) {
  const { rows } = await sql<Record<string, unknown>>`
    select seq, sender, sender_id, human_id, receiver_id, content, visible, related_task_id, client_message_id, state,
      deliver_to = agent_id as to_agent, log_offset, no_reply, redelivered, crashes, failure, system
    from chat_messages where project_id = ${membership.projectId} and agent_id = ${membership.agentId}
    order by seq`.execute(world.database.db);
  const lengths = membership.agentId.length;
  return rows.map((row) => ({ ...row, lengths }));
}

async function outcome(chat: ChatService, person: Person, post: Parameters<ChatService['post']>[1]) {
  try {
    const { message, created } = await chat.post(person, post);
    const { id, projectId, createdAt, ...same } = message;
    expect(id).toMatch(/^msg_/);
    expect(projectId).toBe(post.projectId);
    expect(createdAt).toMatch(/^\d{4}-.*\.\d{3}Z$/);
    return { created, ...same };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { refused: error.code };
  }
}

describe('the fast path and the normal path of a post', () => {
  it('store the same and answer the same', async () => {
    const fast = countingFastHits();
    const anyPost = fc.record({
      content: fc.constantFrom('こんにちは', 'two', '三 🎌 \u2028 "quoted" \\ \n'),
      clientMessageId: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyPost, { minLength: 1, maxLength: 12 }), async (posts) => {
        const [one, two] = [await world.agentInProject(), await world.agentInProject()];
        await Promise.all([world.warmAgent(one), world.warmAgent(two)]);
        for (const post of posts)
          expect(await outcome(fast, world.owner, { ...one, ...post })).toEqual(
            await outcome(slow, world.owner, { ...two, ...post }),
          );
        expect(await storedIn(one)).toEqual(await storedIn(two));
        expect([await rowOf(world, one), await rowOf(world, two)]).toEqual([undefined, undefined]);
      }),
      { numRuns: 5 },
    );
    expect(fastHits).toBeGreaterThan(5);
  });

  it('wake the same readers', async () => {
    const membership = await world.agentInProject();
    await world.warmAgent(membership);
    const keysOf = async (chat: ChatService) => {
      world.dirtyKeys.length = 0;
      await chat.post(world.owner, { ...membership, content: 'wake up' });
      return [...new Set(world.dirtyKeys)].sort();
    };
    expect(await keysOf(world.chat)).toEqual(await keysOf(slow));
  });

  it('know a clientMessageId by its person: two people with one id keep both messages', async () => {
    const membership = await world.agentInProject();
    await world.warmAgent(membership);
    const { id } = await world.agents.create(world.owner, {
      name: 'P',
      type: 'human',
      accessLevel: 'member',
    });
    await world.projects.putAgent(world.owner, { projectId: membership.projectId, agentId: id });
    const colleague: Person = { id, name: 'P', accessLevel: 'member' };
    for (const [index, chat] of [world.chat, slow].entries()) {
      const post = { ...membership, content: 'the same words', clientMessageId: `shared-${index}` };
      const [first, second] = [await chat.post(world.owner, post), await chat.post(colleague, post)];
      expect([first.created, second.created]).toEqual([true, true]);
      expect(second.message.id).not.toBe(first.message.id);
      expect(await chat.post(colleague, post)).toEqual({ message: second.message, created: false });
    }
  });

  it('refuse the same callers', async () => {
    const membership = await world.agentInProject();
    await world.warmAgent(membership);
    const person = async (accessLevel: Person['accessLevel'], member: boolean): Promise<Person> => {
      const id = `p${Math.random().toString(36).slice(2, 12)}`;
      await world.agents.create(world.owner, { id, name: id, type: 'human', accessLevel });
      if (member)
        await world.projects.putAgent(world.owner, { projectId: membership.projectId, agentId: id });
      return { id, name: id, accessLevel };
    };
    const other = await world.agentInProject();
    const member = await person('member', true);
    for (const chat of [world.chat, slow]) {
      expect(await outcome(chat, await person('member', false), { ...membership, content: 'x' })).toEqual({
        refused: 'project_not_found',
      });
      expect(await outcome(chat, await person('viewer', true), { ...membership, content: 'x' })).toEqual({
        refused: 'forbidden',
      });
      expect(await outcome(chat, member, { ...membership, content: 'x' })).toMatchObject({
        created: true,
        humanId: member.id,
      });
      const wrong = (change: Partial<WorldAgent>) =>
        outcome(chat, world.owner, { ...membership, ...change, content: 'x' });
      expect(await wrong({ projectId: 'prj_none' })).toEqual({ refused: 'project_not_found' });
      expect(await wrong({ agentId: 'agt_none' })).toEqual({ refused: 'agent_not_found' });
      expect(await wrong({ agentId: other.agentId })).toEqual({ refused: 'agent_not_in_project' });
      expect(await wrong({ agentId: member.id })).toEqual({ refused: 'agent_is_human' });
      const task = await outcome(chat, world.owner, {
        ...membership,
        content: 'x',
        relatedTaskId: 'tsk_none',
      });
      expect(task).toEqual({ refused: 'task_not_found' });
    }
  });
});

describe('idempotency of a post', () => {
  it('answers with the first, and refuses another text', async () => {
    const membership = await world.agentInProject();
    for (const awake of [false, true]) {
      if (awake) await world.warmAgent(membership);
      const post = { ...membership, content: 'once', clientMessageId: `id-${awake}` };
      const first = await world.chat.post(world.owner, post);
      expect(first.created).toBe(true);
      expect(await world.chat.post(world.owner, post)).toEqual({ message: first.message, created: false });
      await expect(world.chat.post(world.owner, { ...post, content: 'twice' })).rejects.toMatchObject({
        code: 'client_message_id_reused',
      });
    }
  });

  it.each([true, false])(
    'two with one clientMessageId at once are one message (awake: %s)',
    async (awake) => {
      const membership = await world.agentInProject();
      if (awake) await world.warmAgent(membership);
      const gate = await rawClient(world);
      await gate.query('begin');
      await gate.query('select from chat_threads where id = $1 for update', [
        `${membership.projectId}/${membership.agentId}`,
      ]);
      const posts = Array.from({ length: 2 }, (_, index) =>
        (index === 0 ? world.chat : slow).post(world.owner, {
          ...membership,
          content: 'once',
          clientMessageId: 'same',
        }),
      );
      await untilBlocked(world, 2);
      await gate.query('commit');
      await gate.end();
      const results = await Promise.all(posts);
      expect(new Set(results.map(({ message }) => message.id)).size).toBe(1);
      expect(results.filter(({ created }) => created)).toHaveLength(1);
    },
  );
});

describe('many at once', () => {
  it('two hundred posts by both paths: sequence and places without a gap, chat.jsonl the same', async () => {
    const membership = await world.agentInProject();
    await world.warmAgent(membership);
    const posted = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        (index % 3 === 0 ? slow : world.chat).post(world.owner, {
          ...membership,
          content: `post ${index} ${'あ'.repeat(index % 17)}`,
        }),
      ),
    );
    const seqs = posted.map(({ message }) => message.seq).sort((a, b) => a - b);
    expect(seqs).toEqual(Array.from({ length: 200 }, (_, index) => index + 2));
    expect(await checkInvariants(world.database)).toEqual([]);
  });

  it('what one of a batch does wrong is told to him alone; the others stand', async () => {
    const pairs = await Promise.all([world.agentInProject(), world.agentInProject()]);
    const [one, two] = pairs;
    await Promise.all(pairs.map((membership) => world.warmAgent(membership)));
    await world.chat.post(world.owner, { ...one, content: 'first', clientMessageId: 'taken' });
    const results = await Promise.allSettled([
      world.chat.post(world.owner, { ...one, content: 'before' }),
      world.chat.post(world.owner, { ...one, content: 'other words', clientMessageId: 'taken' }),
      world.chat.post(world.owner, { ...two, content: 'once', clientMessageId: 'new' }),
      world.chat.post(world.owner, { ...two, content: 'once', clientMessageId: 'new' }),
      world.chat.post(world.owner, { ...two, agentId: one.agentId, content: 'not a member' }),
      world.chat.post(world.owner, { ...one, content: 'after' }),
    ]);
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value.created : result.reason.code)),
    ).toEqual([true, 'client_message_id_reused', true, false, 'agent_not_in_project', true]);
    const contents = async (membership: WorldAgent) =>
      (await storedIn(membership)).map((row) => Reflect.get(row, 'content'));
    expect((await contents(one)).slice(-3)).toEqual(['first', 'before', 'after']);
    expect((await contents(two)).filter((content) => content === 'once')).toHaveLength(1);
  });

  it('a thread that somebody holds holds up its own messages only', async () => {
    const pairs = await Promise.all([world.agentInProject(), world.agentInProject()]);
    const [held, free] = pairs;
    await Promise.all(pairs.map((membership) => world.warmAgent(membership)));
    const gate = await rawClient(world);
    await gate.query('begin');
    await gate.query('select from chat_threads where id = $1 for update', [
      `${held.projectId}/${held.agentId}`,
    ]);
    const waiting = world.chat.post(world.owner, { ...held, content: 'waits' });
    const others = Array.from({ length: 5 }, (_, index) =>
      world.chat.post(world.owner, { ...free, content: `${index}` }),
    );
    expect((await Promise.all(others)).map(({ created }) => created)).toEqual(others.map(() => true));
    await untilBlocked(world, 1);
    await gate.query('commit');
    await gate.end();
    expect((await waiting).created).toBe(true);
  });

  it('to a sleeping agent: one wake-up (trap 6)', async () => {
    const membership = await world.agentInProject();
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => world.chat.post(world.owner, { ...membership, content: `${i}` })),
    );
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from pending_agent_purposes
      where agent_id = ${membership.agentId}`.execute(world.database.db);
    expect(rows[0]?.n).toBe(1);
  });
});
