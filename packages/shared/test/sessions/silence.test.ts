import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { abandonedRuns, silentSessions } from '../../src/core/sessions/sweep-silent-sessions.ts';
import type { NewSweepStep } from '../../src/core/sweep-step.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { expectInvariants, givenIds, messageOf, rowOf, runOf, sessionOf } from '../chat/chat-support.ts';
import { ask } from '../questions/question-support.ts';

/** Contract §5 "Silence" (trap 23): nobody is kept waiting by a session that has died without a word. */
const IDLE_MS = 600_000;
const SEEN_DELAY_MS = 5_000;

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

/** Signed in by hand: no run would ever report its end. */
async function byPasskey(): Promise<{ membership: WorldAgent; caller: AgentCaller }> {
  const membership = await world.agentInProject();
  const { passkey } = await world.agents.setPasskey(world.owner, membership.agentId, {});
  const result = await world.sessions.authenticate({ ...membership, passkey, address: 'x' });
  if (!result.success) throw new Error('refused');
  return { membership, caller: await world.sessions.resolve(result.sessionToken ?? '') };
}

const run = (step: NewSweepStep) => step()({ ...world, awakeSince: 0 }, (_row, work) => work());
const sweep = () => run(silentSessions);

const post = async (membership: WorldAgent) =>
  (await world.chat.post(world.owner, { ...membership, content: 'hello' })).message;

// First: the statement that stores a message takes the database's clock, and no test has turned ours yet.
it('a message that has come just now waits, however long the session was quiet before', async () => {
  const { membership, caller } = await byPasskey();
  await world.database.db
    .updateTable('agentSessions')
    .set({ lastSeenAt: new Date(world.clock.now().getTime() - IDLE_MS - SEEN_DELAY_MS) })
    .where('id', '=', caller.sessionId)
    .execute();
  await post(membership);
  expect(await sweep()).toBe(0);
  await world.delivery.take(caller);
  await world.delivery.respond(caller, { content: 'here' });
});

describe('a session that makes no call', () => {
  it('trap 23: ends when a message has waited for the idle time; the message wakes the agent, and its bearer hears why', async () => {
    const { membership, caller } = await byPasskey();
    const message = await post(membership);
    world.clock.advance(IDLE_MS);
    expect(await sweep()).toBe(0);
    world.clock.advance(SEEN_DELAY_MS);
    expect(await sweep()).toBe(1);
    expect(await sessionOf(world, caller.sessionId)).toMatchObject({
      state: 'ended',
      exitAction: 'logout',
      exitReason: 'session_silent',
    });
    expect((await messageOf(world, message.id)).state).toBe('stored');
    expect(await rowOf(world, membership)).toBeDefined();
    const actions = await world.sessions.nextActions([caller.sessionId]);
    expect(actions.get(caller.sessionId)).toEqual({ kind: 'logout', reason: 'session_silent' });
    await world.coordinator();
    const next = await world.signIn(membership);
    expect(await givenIds(world, next.caller)).toEqual([message.id]);
    await world.delivery.respond(next.caller, { content: 'here' });
  });

  it('takes its hung process with it', async () => {
    const membership = await world.agentInProject();
    const { caller, runId } = await world.warmAgent(membership, 'host-hung');
    await post(membership);
    world.clock.advance(IDLE_MS + SEEN_DELAY_MS);
    expect(await sweep()).toBe(1);
    expect((await sessionOf(world, caller.sessionId)).state).toBe('ended');
    expect(await runOf(world, runId)).toMatchObject({ stopReason: 'session_silent' });
    expect((await world.coordination.work('host-hung')).stop).toEqual([{ runId, reason: 'session_silent' }]);
    await world.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGKILL' });
    const next = await world.warmAgent(membership, 'host-hung');
    await world.delivery.take(next.caller);
    await world.delivery.respond(next.caller, { content: 'here' });
  });

  it('leaves its open card to the next session', async () => {
    const { membership, caller } = await byPasskey();
    await world.chat.start(world.owner, { ...membership });
    await world.database.db.updateTable('appSettings').set({ questionTimeoutSeconds: 0 }).execute();
    world.clock.advance(SEEN_DELAY_MS);
    const asked = await world.questions.ask(caller, { questions: ask('Which?') });
    expect(asked.status).toBe('pending');
    await post(membership);
    world.clock.advance(IDLE_MS + SEEN_DELAY_MS);
    expect(await sweep()).toBe(1);
    await world.coordinator();
    const next = await world.signIn(membership);
    expect(await world.questions.ask(next.caller, { questions: ask('Which?') })).toEqual(asked);
    await world.questions.answer(world.owner, asked.toolUseId, { 0: '0' });
    await world.questions.acknowledged(next.caller.sessionId, [asked.toolUseId]);
    await world.delivery.take(next.caller);
    await world.delivery.respond(next.caller, { content: 'here' });
    await world.database.db.updateTable('appSettings').set({ questionTimeoutSeconds: null }).execute();
  });
});

describe('a session that stays', () => {
  it.each<[string, (caller: AgentCaller, membership: WorldAgent) => Promise<unknown>]>([
    ['has called in between', async (caller) => world.sessions.touch([caller.sessionId])],
    ['is in a turn', async (caller) => world.sessions.beat(caller, { phase: 'x', holdSeconds: 25 })],
    ['holds a message: the turn limit rules', async (caller) => world.delivery.take(caller)],
  ])('%s', async (_, act) => {
    const { membership, caller } = await byPasskey();
    await post(membership);
    world.clock.advance(IDLE_MS);
    await act(caller, membership);
    await post(membership);
    world.clock.advance(SEEN_DELAY_MS);
    expect(await sweep()).toBe(0);
    await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'here' });
  });

  it('trap 27: could not reach us all the time', async () => {
    const { membership, caller } = await byPasskey();
    await post(membership);
    world.clock.advance(IDLE_MS + SEEN_DELAY_MS);
    await world.isDeaf();
    expect(await sweep()).toBe(0);
    await world.listens();
    await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'here' });
  });
});

it('a process that hangs after its logout is ended when nothing was heard of it for the idle time', async () => {
  const membership = await world.agentInProject();
  const { caller, runId } = await world.warmAgent(membership, 'host-stays');
  await world.sessions.logout(caller);
  expect(await run(abandonedRuns)).toBe(0);
  world.clock.advance(IDLE_MS + SEEN_DELAY_MS);
  await world.isDeaf();
  expect(await run(abandonedRuns)).toBe(0);
  await world.listens();
  expect(await run(abandonedRuns)).toBe(1);
  expect((await world.coordination.work('host-stays')).stop).toEqual([{ runId, reason: 'session_timeout' }]);
  await world.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGKILL' });
});
