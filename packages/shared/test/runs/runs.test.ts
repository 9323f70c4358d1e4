import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loseSilentCoordinators } from '../../src/core/coordinators/coordinator-beat.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  coordinationOnOwnConnections,
  expectInvariants,
  givenIds,
  messageOf,
  outcomesOf,
  rawClient,
  rowOf,
  runOf,
  sessionOf,
  statusOf,
  systemLines,
  takeStart,
  untilBlocked,
} from '../chat/chat-support.ts';

const TTL_MS = 300_000;
let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
beforeEach(() => world.coordinator());
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

async function asleep(options: { credential?: boolean } = {}): Promise<WorldAgent> {
  return world.agentInProject(options);
}
const post = async (membership: WorldAgent, content = 'hi') =>
  (await world.chat.post(world.owner, { ...membership, content })).message;
const ask = (membership: WorldAgent, coordinatorId = 'host-a') =>
  world.coordination.getAgentAction({ ...membership, coordinatorId });
/** How long after the end of this run the next start has to wait. */
async function backoffOf(membership: WorldAgent, runId: string) {
  const [row, run] = [await rowOf(world, membership), await runOf(world, runId)];
  return (row?.notBefore?.getTime() ?? 0) - (run.endedAt?.getTime() ?? 0);
}
const hold = (reason: string) => ({ action: 'hold', reason });

describe('a start is taken once', () => {
  it('by twenty Coordinators that ask at once: one start, one run, one ticket', async () => {
    const membership = await asleep();
    await post(membership);
    const { coordination, close } = coordinationOnOwnConnections(world, 20);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        coordination.getAgentAction({ ...membership, coordinatorId: `many-${index}` }),
      ),
    );
    await close();
    expect(answers.filter(({ action }) => action === 'start')).toHaveLength(1);
    expect(
      answers.filter(({ action, reason }) => action === 'hold' && reason === 'spawn_in_progress'),
    ).toHaveLength(19);
    const runs = await world.database.db
      .selectFrom('agentRuns')
      .select('id')
      .where('agentId', '=', membership.agentId)
      .execute();
    expect(runs).toHaveLength(1);
    // Give it up: nobody beats for these Coordinators.
    await world.coordination.reportProcessExit({ runId: runs[0]?.id ?? '', exitCode: 0 });
  });

  it('and never past the places of one Coordinator, when it asks for many at once (I-9)', async () => {
    const pairs = await Promise.all(Array.from({ length: 6 }, () => asleep()));
    for (const membership of pairs) await post(membership);
    await world.coordinator('host-small', [], 2);
    const { coordination, close } = coordinationOnOwnConnections(world, 6);
    const answers = await Promise.all(
      pairs.map((membership) => coordination.getAgentAction({ ...membership, coordinatorId: 'host-small' })),
    );
    await close();
    expect(answers.filter(({ action }) => action === 'start')).toHaveLength(2);
    expect(answers.filter(({ reason }) => reason === 'capacity')).toHaveLength(4);
    expect(await checkInvariants(world.database)).toEqual([]);
    // The four that wait do not stand before those of other tests.
    await world.coordinator('host-small', [], 20);
    for (const membership of pairs) await ask(membership, 'host-small');
  });
});

describe('why a Coordinator is told to wait', () => {
  it('names the reason', async () => {
    const membership = await asleep();
    expect(await ask(membership)).toEqual(hold('no_pending_work'));
    expect(await ask({ ...membership, agentId: 'agt_none' })).toEqual(hold('agent_not_assigned'));
    const elsewhere = await asleep();
    expect(await ask({ projectId: membership.projectId, agentId: elsewhere.agentId })).toEqual(
      hold('agent_not_assigned'),
    );
    await world.chat.start(world.owner, membership);
    const cools = (notBefore: Date | null) =>
      world.database.db
        .updateTable('pendingAgentPurposes')
        .set({ notBefore })
        .where('agentId', '=', membership.agentId)
        .execute();
    await cools(new Date(world.clock.now().getTime() + 60_000));
    expect(await ask(membership)).toEqual(hold('cooling_down'));
    expect((await world.coordination.work('host-a')).pairs).not.toContainEqual(membership);
    expect(await statusOf(world, membership)).toMatchObject({ chatStatus: 'queued', reason: 'cooling_down' });
    await cools(null);
    const start = await takeStart(world, membership);
    expect(await ask(membership)).toEqual(hold('spawn_in_progress'));
    await world.sessions.authenticate({ bearer: start.ticket ?? '', address: 'x' });
    expect(await ask(membership)).toEqual(hold('already_running'));
    await world.chat.end(world.owner, { ...membership, force: true });
    await post(membership);
    expect(await ask(membership)).toEqual(hold('already_running'));
    const caller = await world.sessions.resolve(start.ticket ?? '');
    await world.sessions.acknowledged([caller.sessionId]);
    expect(await ask(membership)).toEqual(hold('session_ending'));
    expect(await statusOf(world, membership)).toMatchObject({
      chatStatus: 'queued',
      reason: 'session_ending',
    });
    await world.coordination.reportProcessExit({ runId: start.runId, exitCode: 0 });
    expect((await ask(membership)).action).toBe('start');
  });

  it('trap 11: a paused project or a blocked task never blocks the chat', async () => {
    const membership = await asleep();
    const task = await world.database.db
      .insertInto('tasks')
      .values({
        id: `tsk_${membership.agentId.slice(4)}`,
        projectId: membership.projectId,
        title: 't',
        status: 'blocked',
        assigneeId: membership.agentId,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect(await ask(membership)).toEqual(hold('blocked_without_in_progress'));
    await world.database.db
      .updateTable('tasks')
      .set({ status: 'in_progress' })
      .where('id', '=', task.id)
      .execute();
    await world.projects.update(world.owner, membership.projectId, { status: 'paused' });
    expect(await ask(membership)).toEqual(hold('project_paused'));
    expect(await world.chat.start(world.owner, membership)).toEqual({ status: 'started' });
    const message = await post(membership);
    expect((await world.coordination.work('host-a')).pairs).toContainEqual(membership);
    const { caller } = await world.signIn(membership);
    expect(await givenIds(world, caller)).toEqual([message.id]);
    await world.delivery.respond(caller, { content: 'of course' });
  });
});

it('a full Coordinator is not told again and again of what it has no place for', async () => {
  const [first, second] = [await asleep(), await asleep()];
  const only = {
    coordinatorId: 'small',
    host: 'small',
    bootId: 'b',
    capacity: 1,
    running: [],
    labels: [],
    roots: [],
  };
  await world.coordination.beat(only);
  await post(first);
  const start = await ask(first, 'small');
  if (start.action !== 'start') throw new Error(start.reason);
  await post(second);
  const listed = async () =>
    (await world.coordination.work('small')).pairs.some(({ agentId }) => agentId === second.agentId);
  expect(await listed()).toBe(true);
  expect(await ask(second, 'small')).toMatchObject(hold('capacity'));
  expect(await listed()).toBe(false);
  await world.coordination.reportProcessExit({ runId: start.runId, exitCode: 0, cause: 'killed' });
  expect(await listed()).toBe(true);
  expect((await ask(second, 'small')).action).toBe('start');
});

it('a process that its Coordinator ended for its own stop is no crash', async () => {
  const membership = await asleep();
  const { runId, caller } = await world.warmAgent(membership);
  const message = await post(membership);
  await world.delivery.take(caller);
  await world.coordination.reportProcessExit({ runId, exitCode: 143, cause: 'killed' });
  expect((await runOf(world, runId)).exitCause).toBe('killed');
  expect(await messageOf(world, message.id)).toMatchObject({ state: 'stored', redelivered: true });
  expect((await rowOf(world, membership))?.notBefore).toBeNull();
});

describe('the TTL of a wake-up', () => {
  it('trap 4: goes on after the start, to an error in the chat', async () => {
    const membership = await asleep();
    const message = await post(membership);
    world.clock.advance(TTL_MS - 20_000);
    await world.coordinator();
    const start = await takeStart(world, membership);
    world.clock.advance(TTL_MS - 20_000);
    await world.coordinator('host-a', [start.runId]);
    await world.sweeper.runOnce();
    expect(await rowOf(world, membership)).toMatchObject({ runId: start.runId });
    world.clock.advance(20_001);
    await world.coordinator('host-a', [start.runId]);
    expect((await world.sweeper.runOnce()).expired).toBe(1);
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await messageOf(world, message.id)).toMatchObject({
      state: 'failed',
      failure: { code: 'timeout' },
    });
    expect((await systemLines(world, membership)).map(({ system }) => system?.code)).toEqual([
      'timeout_no_sign_in',
    ]);
    expect((await world.coordination.work('host-a')).stop).toContainEqual({
      runId: start.runId,
      reason: 'timeout',
    });
    await world.coordination.reportProcessExit({ runId: start.runId, exitCode: null, signal: 'SIGTERM' });
    expect(await rowOf(world, membership)).toBeUndefined();
  });

  it('not picked up: says so, with the time', async () => {
    const membership = await asleep();
    await world.chat.start(world.owner, membership);
    world.clock.advance(TTL_MS);
    await world.sweeper.runOnce();
    const [line] = await systemLines(world, membership);
    expect(line?.system?.code).toBe('timeout_not_picked_up');
    // The test's own time counts too, and a machine under load takes seconds of it.
    const { seconds } = line?.system?.params ?? {};
    expect(seconds).toBeGreaterThanOrEqual(TTL_MS / 1_000);
    expect(seconds).toBeLessThan(TTL_MS / 1_000 + 30);
    expect(line?.content).toMatch(/タイムアウト.*5分/);
  });

  it('rests while no place is free, and goes on when the Coordinator is gone', async () => {
    const membership = await asleep();
    await post(membership);
    await world.coordinator('host-full', [], 0);
    expect(await ask(membership, 'host-full')).toEqual(hold('capacity'));
    for (let minute = 0; minute < 10; minute += 1) {
      world.clock.advance(60_000);
      await world.coordinator('host-full', [], 0);
      await world.sweeper.runOnce();
    }
    expect(await statusOf(world, membership)).toMatchObject({ chatStatus: 'queued', reason: 'capacity' });
    // The Coordinator dies: what was held is not held for ever.
    world.clock.advance(20_000);
    await world.sweeper.runOnce();
    expect(await statusOf(world, membership)).toMatchObject({
      chatStatus: 'queued',
      reason: 'no_coordinator',
    });
    world.clock.advance(TTL_MS);
    expect((await world.sweeper.runOnce()).expired).toBeGreaterThanOrEqual(1);
    expect(await rowOf(world, membership)).toBeUndefined();
  });

  it('rests while the old session ends, though nobody asks meanwhile', async () => {
    const membership = await asleep();
    const { caller, runId } = await world.warmAgent(membership);
    await world.database.db.updateTable('appSettings').set({ pendingPurposeTtlSeconds: 10 }).execute();
    try {
      await world.chat.end(world.owner, { ...membership, force: true });
      await world.sessions.acknowledged([caller.sessionId]);
      const message = await post(membership);
      await world.clock.frozen(async () => {
        world.clock.advance(12_000);
        await world.coordinator('host-a', [runId]);
        await world.sweeper.runOnce();
        await world.coordination.reportProcessExit({ runId, exitCode: 0 });
        world.clock.advance(8_000);
        await world.coordinator();
        await world.sweeper.runOnce();
        const next = await world.signIn(membership);
        expect(await givenIds(world, next.caller)).toEqual([message.id]);
        await world.delivery.respond(next.caller, { content: 'ok' });
      });
    } finally {
      await world.database.db.updateTable('appSettings').set({ pendingPurposeTtlSeconds: null }).execute();
      world.clock.advance(2_000);
    }
  });
});

describe('a process that ends before it signed in', () => {
  it('is started again after 1 s and 2 s, then the row goes with its error', async () => {
    const membership = await asleep();
    const message = await post(membership);
    for (const waitMs of [1_000, 2_000]) {
      const { runId } = await takeStart(world, membership);
      await world.coordination.reportProcessExit({
        runId,
        exitCode: 7,
        stderrTail: 'first\nno such model\n',
      });
      expect((await runOf(world, runId)).exitCause).toBe('crashed');
      expect(await backoffOf(membership, runId)).toBe(waitMs);
      world.clock.advance(waitMs);
      expect((await world.coordination.work('host-a')).pairs).toContainEqual(membership);
    }
    const { runId } = await takeStart(world, membership);
    await world.coordination.reportProcessExit({ runId, exitCode: 7, stderrTail: 'first\nno such model\n' });
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await outcomesOf(world, membership)).toEqual(['expired']);
    expect(await messageOf(world, message.id)).toMatchObject({
      state: 'failed',
      failure: { code: 'agent_crashed' },
    });
    const lines = await systemLines(world, membership);
    expect(lines.map(({ system }) => system?.code)).toEqual(['agent_gave_up']);
    expect(lines[0]?.content).toContain('no such model');
  });

  it('a last line that is cut within a character is stored without it', async () => {
    const membership = await asleep();
    await post(membership);
    const { runId } = await takeStart(world, membership);
    const stderrTail = `${'x'.repeat(499)}\u{1F600}`;
    await world.coordination.reportProcessExit({ runId, exitCode: 7, stderrTail });
    expect(await runOf(world, runId)).toMatchObject({ state: 'exited', exitCause: 'crashed' });
    await world.coordination.reportAgentError({ ...membership, error: stderrTail });
    const [line] = await systemLines(world, membership);
    expect(line?.system).toMatchObject({ code: 'agent_error', params: { error: 'x'.repeat(499) } });
  });

  it('an agent without credential is not started again and again: its row waits for its TTL (UC010)', async () => {
    const membership = await asleep({ credential: false });
    await post(membership);
    const start = await ask(membership);
    if (start.action !== 'start') throw new Error(start.reason);
    // Our runner has no ticket to sign in with, and leaves.
    await world.coordination.reportProcessExit({ runId: start.runId, exitCode: 2, stderrTail: 'no ticket' });
    expect(await ask(membership)).toEqual(hold('spawn_in_progress'));
    expect(await systemLines(world, membership)).toEqual([]);
    world.clock.advance(TTL_MS + 1_000);
    await world.coordinator();
    await world.sweeper.runOnce();
    expect((await systemLines(world, membership)).map(({ system }) => system?.code)).toEqual([
      'timeout_no_credential',
    ]);
  });

  it('what the guard of a process finds is said, though the process had a pid', async () => {
    const membership = await asleep();
    await post(membership);
    const { runId } = await takeStart(world, membership);
    await world.coordination.reportProcessStarted({
      runId,
      coordinatorId: 'host-a',
      host: 'host-a',
      bootId: 'boot',
      pid: 4711,
      startTicks: 1,
    });
    await world.coordination.reportProcessExit({
      runId,
      exitCode: null,
      cause: 'could_not_start',
      error: 'nobody cannot write here',
    });
    const { exitCause, exitCode } = await runOf(world, runId);
    expect({ exitCause, exitCode }).toEqual({ exitCause: 'could_not_start', exitCode: null });
  });

  it('command not found is said in its own words', async () => {
    const membership = await asleep();
    await post(membership);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      world.clock.advance(2_100);
      const { runId } = await takeStart(world, membership);
      await world.coordination.reportProcessExit({
        runId,
        exitCode: null,
        error: 'claude: command not found',
      });
      const { exitCause, error, reason } = await runOf(world, runId);
      expect({ exitCause, error, reason }).toEqual({
        exitCause: 'could_not_start',
        error: 'claude: command not found',
        reason: null,
      });
    }
    const lines = await systemLines(world, membership);
    expect(lines.map(({ system }) => system?.code)).toEqual(['could_not_start']);
    expect(lines[0]?.content).toContain('claude: command not found');
  });

  it('a reason with a code is kept for readers of other languages, with the run and in the chat', async () => {
    const membership = await asleep();
    await post(membership);
    const reason = { code: 'command_not_found', params: { file: '/opt/x' } };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      world.clock.advance(2_100);
      const { runId } = await takeStart(world, membership);
      const exit = { runId, exitCode: null, error: 'The command /opt/x was not found.', reason };
      await world.coordination.reportProcessExit(exit);
      expect(await runOf(world, runId)).toMatchObject({ error: exit.error, reason });
    }
    const [line] = await systemLines(world, membership);
    expect(line?.system?.params).toMatchObject({ errorCode: 'command_not_found', 'error.file': '/opt/x' });
    // In the language of the product, though the Coordinator has another one.
    expect(line?.content).toContain('コマンド /opt/x が見つかりません');
  });

  it('an error that follows from the exit code is marked as such', async () => {
    const membership = await asleep();
    await post(membership);
    const { runId } = await takeStart(world, membership);
    await world.coordination.reportProcessExit({ runId, exitCode: 7 });
    expect(await world.runs.get(world.owner, runId)).toMatchObject({ exitCode: 7, reason: null });
  });

  it('the same error is said once, however often a Coordinator reports it, and not again at the end', async () => {
    const membership = await asleep();
    const message = await post(membership);
    const error = 'claude: command not found';
    for (let attempt = 0; attempt < 3; attempt += 1) {
      world.clock.advance(2_100);
      const { runId } = await takeStart(world, membership);
      await world.coordination.reportAgentError({ ...membership, error });
      await world.coordination.reportProcessExit({ runId, exitCode: null, error });
    }
    expect((await systemLines(world, membership)).map(({ content }) => content)).toEqual([
      expect.stringContaining(error),
    ]);
    expect((await messageOf(world, message.id)).state).toBe('failed');
    await world.coordination.reportAgentError({ ...membership, error: 'something else' });
    expect(await systemLines(world, membership)).toHaveLength(2);
  });

  it('an error of a person or of somebody else is refused', async () => {
    const membership = await asleep();
    const human = { ...membership, agentId: world.owner.id };
    await world.projects.putAgent(world.owner, human);
    for (const [agentId, code] of [
      [human.agentId, 'agent_is_human'],
      ['nobody', 'agent_not_in_project'],
    ] as const)
      await expect(
        world.coordination.reportAgentError({ ...membership, agentId, error: 'x' }),
      ).rejects.toMatchObject({ code });
  });

  it('with exit code 0 it is a failure too: somebody waits', async () => {
    const membership = await asleep();
    await post(membership);
    const { runId } = await takeStart(world, membership);
    await world.coordination.reportProcessExit({ runId, exitCode: 0 });
    expect((await runOf(world, runId)).exitCause).toBe('crashed');
    expect(await rowOf(world, membership)).toMatchObject({ failedStarts: 1, startedAt: null, runId: null });
    await world.coordination.reportProcessExit({ runId, exitCode: 0 });
    expect(await rowOf(world, membership)).toMatchObject({ failedStarts: 1 });
  });
});

describe('a process that ends with work undone', () => {
  async function crashWithWork(
    membership: WorldAgent,
    exit: { exitCode: number | null; signal?: string } = { exitCode: 1 },
  ) {
    const { runId, caller } = await world.signIn(membership);
    await world.delivery.take(caller);
    await world.coordination.reportProcessExit({ runId, ...exit, stderrTail: 'out of memory' });
    return { runId, caller };
  }

  it('is started again with backoff; the third in a row stops it and says so', async () => {
    const membership = await asleep();
    const message = await post(membership);
    const first = await crashWithWork(membership);
    expect(await messageOf(world, message.id)).toMatchObject({ state: 'stored', redelivered: true });
    expect(await backoffOf(membership, first.runId)).toBe(1_000);
    world.clock.advance(1_000);
    const second = await crashWithWork(membership);
    expect(await backoffOf(membership, second.runId)).toBe(2_000);
    world.clock.advance(2_000);
    await crashWithWork(membership, { exitCode: null, signal: 'SIGSEGV' });
    expect(await messageOf(world, message.id)).toMatchObject({
      state: 'failed',
      failure: { code: 'agent_crashed' },
    });
    expect(await rowOf(world, membership)).toBeUndefined();
    const lines = await systemLines(world, membership);
    expect(lines.map(({ system }) => system)).toMatchObject([
      { code: 'agent_gave_up', params: { count: 3 } },
    ]);
    await world.sweeper.runOnce();
    expect(await rowOf(world, membership)).toBeUndefined();
    // A person may try again, and the count begins anew. The error's line has the database's time, not the test's.
    await world.database.db
      .updateTable('agentRuns')
      .set({ endedAt: new Date(Date.now() - 3_600_000) })
      .where('agentId', '=', membership.agentId)
      .execute();
    await world.chat.retry(world.owner, { ...membership, messageId: message.id });
    world.clock.advance(100);
    await crashWithWork(membership);
    expect((await messageOf(world, message.id)).state).toBe('stored');
    expect(await systemLines(world, membership)).toHaveLength(1);
  });

  it('the third in a row fails what else waits, whoever crashed over it', async () => {
    const membership = await asleep();
    const first = await post(membership, 'first');
    await crashWithWork(membership);
    await crashAgain();
    const late = await post(membership, 'late');
    await crashAgain();
    for (const { id } of [first, late])
      expect(await messageOf(world, id)).toMatchObject({
        state: 'failed',
        failure: { code: 'agent_crashed' },
      });
    expect(await systemLines(world, membership)).toHaveLength(1);

    async function crashAgain() {
      world.clock.advance(4_000);
      await crashWithWork(membership);
    }
  });

  it('with exit code 0 as well; without work it is simply finished', async () => {
    const membership = await asleep();
    await post(membership);
    const { runId } = await crashWithWork(membership, { exitCode: 0 });
    expect((await runOf(world, runId)).exitCause).toBe('crashed');
    const idle = await asleep();
    const { runId: idleRun, caller } = await world.warmAgent(idle);
    await world.coordination.reportProcessExit({ runId: idleRun, exitCode: 0 });
    expect((await runOf(world, idleRun)).exitCause).toBe('finished');
    expect((await sessionOf(world, caller.sessionId)).state).toBe('ended');
    expect(await rowOf(world, idle)).toBeUndefined();
  });

  it('traps 7, 8: only what belongs to the run ends with it', async () => {
    const membership = await asleep();
    const other = await asleep();
    await world.agents.update(world.owner, other.agentId, { name: 'Other' });
    await world.projects.putAgent(world.owner, { projectId: other.projectId, agentId: membership.agentId });
    const sameAgent = { projectId: other.projectId, agentId: membership.agentId };
    const warm = await world.warmAgent(membership);
    const elsewhere = await world.warmAgent(sameAgent);
    const neighbour = await world.warmAgent(other);
    // Another session of the very membership, for a task.
    await world.database.db
      .insertInto('agentSessions')
      .values({ id: `ses_task_${membership.agentId}`, ...membership, purpose: 'task', taskId: 'tsk_x' })
      .execute();
    const held = await post(sameAgent);
    await world.delivery.take(elsewhere.caller);
    await world.coordination.reportProcessExit({ runId: warm.runId, exitCode: 1 });
    expect((await sessionOf(world, warm.caller.sessionId)).state).toBe('ended');
    for (const id of [
      elsewhere.caller.sessionId,
      neighbour.caller.sessionId,
      `ses_task_${membership.agentId}`,
    ])
      expect((await sessionOf(world, id)).state).toBe('active');
    expect((await messageOf(world, held.id)).state).toBe('delivered');
    expect((await runOf(world, elsewhere.runId)).state).toBe('running');
  });

  it('trap 7: a wake-up for a task stands beside the one for the chat, and neither takes the other along', async () => {
    const membership = await asleep();
    await world.database.db
      .insertInto('pendingAgentPurposes')
      .values({ ...membership, purpose: 'task', taskId: 'tsk_x', startedAt: world.clock.now() })
      .execute();
    const purposes = async () => {
      const { rows } = await world.database.pool.query(
        'select purpose, started_at is not null as started from pending_agent_purposes where agent_id = $1 order by purpose',
        [membership.agentId],
      );
      return rows.map(({ purpose, started }) => `${purpose}${started ? ' started' : ''}`);
    };
    // A task under way does not stand for the chat, whatever becomes of the chat's row.
    expect(await ask(membership)).toEqual(hold('spawn_in_progress'));
    expect(await world.chat.start(world.owner, membership)).toEqual({ status: 'started' });
    expect(await purposes()).toEqual(['chat', 'task started']);
    const { runId } = await takeStart(world, membership);
    await world.coordination.reportProcessExit({ runId, exitCode: 1 });
    expect(await purposes()).toEqual(['chat', 'task started']);
    world.clock.advance(1_000);
    const { caller } = await world.signIn(membership);
    expect(await purposes()).toEqual(['task started']);
    await world.sessions.logout(caller);
    await post(membership);
    await world.chat.end(world.owner, { ...membership, force: true });
    expect(await purposes()).toEqual(['task started']);
    await world.database.pool.query('delete from pending_agent_purposes where agent_id = $1', [
      membership.agentId,
    ]);
  });

  it('an earlier run’s late exit does not touch the next one', async () => {
    const membership = await asleep();
    const first = await world.warmAgent(membership);
    await world.sessions.logout(first.caller);
    await world.chat.start(world.owner, membership);
    const second = await world.signIn(membership);
    await world.coordination.reportProcessExit({ runId: first.runId, exitCode: 1 });
    expect((await sessionOf(world, second.caller.sessionId)).state).toBe('active');
    expect((await runOf(world, second.runId)).state).toBe('running');
  });
});

describe('a Coordinator that does not name itself when it takes a start', () => {
  it('hears when to end its run as soon as it lists it', async () => {
    const membership = await asleep();
    await world.chat.start(world.owner, membership);
    const start = await world.coordination.getAgentAction(membership);
    if (start.action !== 'start') throw new Error('no start');
    await world.runs.stop(world.owner, start.runId);
    await world.coordinator('host-other');
    expect((await world.coordination.work('host-other')).stop).toEqual([]);
    await world.coordinator('host-late', [start.runId]);
    expect((await world.coordination.work('host-late')).stop).toEqual([
      { runId: start.runId, reason: 'stopped_by_person' },
    ]);
    expect(await runOf(world, start.runId)).toMatchObject({ coordinatorId: 'host-late' });
  });
});

describe('a Coordinator that is gone', () => {
  it('after 45 s its runs are lost, their work is given out again, late reports are refused', async () => {
    const membership = await asleep();
    const warm = await world.warmAgent(membership, 'host-gone');
    const message = await post(membership);
    await world.delivery.take(warm.caller);
    const spawning = await asleep();
    await world.chat.start(world.owner, spawning);
    const start = await takeStart(world, spawning, 'host-gone');
    world.clock.advance(35_000);
    await world.coordinator();
    await world.sweeper.runOnce();
    expect((await runOf(world, warm.runId)).state).toBe('running');
    world.clock.advance(11_000);
    await world.coordinator();
    expect((await world.sweeper.runOnce()).lostCoordinators).toBeGreaterThanOrEqual(1);
    for (const { runId } of [warm, start]) expect((await runOf(world, runId)).exitCause).toBe('lost');
    expect(await messageOf(world, message.id)).toMatchObject({ state: 'stored', redelivered: true });
    for (const lost of [membership, spawning])
      expect(await rowOf(world, lost)).toMatchObject({ startedAt: null, failedStarts: 0 });
    const report = { coordinatorId: 'host-gone', host: 'h', bootId: 'b', pid: 1, startTicks: 1 };
    await expect(
      world.coordination.reportProcessStarted({ runId: start.runId, ...report }),
    ).rejects.toMatchObject({ code: 'run_lost' });
    await expect(
      world.coordination.reportProcessExit({ runId: warm.runId, exitCode: 0 }),
    ).rejects.toMatchObject({ code: 'run_lost' });
    await expect(
      world.coordination.reportProcessExit({ runId: 'run_none', exitCode: 0 }),
    ).rejects.toMatchObject({ code: 'run_not_found' });
    expect(await world.sessions.authenticate({ bearer: start.ticket ?? '', address: 'x' })).toMatchObject({
      success: false,
    });
    const next = await world.signIn(membership);
    expect((await world.delivery.take(next.caller)).pendingMessages).toMatchObject([
      { id: message.id, redelivered: true },
    ]);
    // It is back, and the processes live on there: they are ended, as long as it lists them.
    await world.clock.frozen(async () => {
      await world.coordinator('host-gone', [warm.runId]);
      expect((await world.coordination.work('host-gone')).stop).toEqual([
        { runId: warm.runId, reason: 'lost' },
      ]);
    });
    world.clock.advance(3_000);
    await world.coordinator('host-gone');
    expect((await world.coordination.work('host-gone')).stop).toEqual([]);
    // Being lost three times is nobody's crash.
    expect(await systemLines(world, membership)).toEqual([]);
  });

  it('after 15 s is said to be gone, once, also to those who wait for a start; and that it is back', async () => {
    const membership = await asleep();
    await world.coordinator('host-shy');
    await post(membership);
    const factsOf = async (act: () => Promise<unknown>) => {
      const before = await world.database.pool.query('select coalesce(max(id), 0) as id from change_log');
      await act();
      const { rows } = await world.database.pool.query(
        `select kind, ref ->> 'agentId' as agent from change_log where id > $1 order by id`,
        [before.rows[0].id],
      );
      return {
        coordinators: rows.filter(({ kind }) => kind === 'coordinators').length,
        toldWhoWaits: rows.some(({ agent }) => agent === membership.agentId),
      };
    };
    const sweep = () => world.sweeper.runOnce();
    expect((await factsOf(sweep)).coordinators).toBe(0);
    world.clock.advance(16_000);
    expect(await factsOf(sweep)).toEqual({ coordinators: 1, toldWhoWaits: true });
    expect(await statusOf(world, membership)).toMatchObject({
      chatStatus: 'queued',
      reason: 'no_coordinator',
    });
    expect(await factsOf(sweep)).toEqual({ coordinators: 0, toldWhoWaits: false });
    const back = () => world.coordinator('host-shy');
    expect(await factsOf(back)).toEqual({ coordinators: 1, toldWhoWaits: true });
    expect(await factsOf(back)).toEqual({ coordinators: 0, toldWhoWaits: false });
    expect(await statusOf(world, membership)).not.toHaveProperty('reason');
    world.clock.advance(16_000);
    expect((await factsOf(sweep)).coordinators).toBe(1);
    await world.chat.end(world.owner, { ...membership, force: true });
  });

  it('a server that died while it gave them up leaves the rest to the next sweep', async () => {
    const one = await world.warmAgent(await asleep(), 'host-half');
    const two = await world.warmAgent(await asleep(), 'host-half');
    world.clock.advance(46_000);
    await world.coordinator();
    const broken = coordinationOnOwnConnections(world, 2);
    const gate = await world.database.pool.connect();
    await gate.query('begin');
    await gate.query('select from project_agents where agent_id = $1 for update', [two.caller.agentId]);
    const sweep = expect(loseSilentCoordinators(broken.deps)).rejects.toThrow();
    const { rows } = await waitForBlockedBackend();
    await gate.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await sweep;
    await gate.query('commit');
    gate.release();
    await broken.close();
    await world.sweeper.runOnce();
    for (const { runId } of [one, two]) expect((await runOf(world, runId)).exitCause).toBe('lost');

    async function waitForBlockedBackend() {
      for (;;) {
        const found = await world.database.pool.query<{ pid: number }>(
          `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        if (found.rows.length > 0) return found;
      }
    }
  });

  it('an exit that waits for the session of its run has the time after that', async () => {
    const { runId, caller } = await world.warmAgent(await asleep());
    const gate = await rawClient(world);
    await gate.query('begin');
    await gate.query('select from agent_sessions where id = $1 for update', [caller.sessionId]);
    const exit = world.coordination.reportProcessExit({ runId, exitCode: 0 });
    await untilBlocked(world, 1);
    world.clock.advance(60_000);
    const released = world.clock.now();
    await gate.query('commit');
    await gate.end();
    await exit;
    expect((await runOf(world, runId)).endedAt?.getTime()).toBeGreaterThanOrEqual(released.getTime());
  });

  it('a start that nobody watches is given up, but not while its session lives or its wake-up stands', async () => {
    const [leaves, never] = [await asleep(), await asleep()];
    await post(leaves);
    await post(never);
    const [one, other] = [
      await world.coordination.getAgentAction(leaves),
      await world.coordination.getAgentAction(never),
    ];
    if (one.action !== 'start' || other.action !== 'start') throw new Error('held');
    await world.sessions.authenticate({ bearer: one.ticket ?? '', address: 'x' });
    const caller = await world.sessions.resolve(one.ticket ?? '');
    const sweepAfter = async (ms: number) => {
      world.clock.advance(ms);
      await world.coordinator();
      return (await world.sweeper.runOnce()).unwatched;
    };
    expect(await sweepAfter(61_000)).toBe(0);
    await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'done' });
    await world.sessions.logout(caller);
    expect(await sweepAfter(30_000)).toBe(0);
    expect(await sweepAfter(31_000)).toBe(1);
    expect((await runOf(world, one.runId)).exitCause).toBe('lost');
    expect((await runOf(world, other.runId)).state).toBe('starting');
    // Its wake-up goes with the TTL, and the run with it.
    world.clock.advance(TTL_MS);
    await world.coordinator();
    const { expired } = await world.sweeper.runOnce();
    expect(expired).toBeGreaterThanOrEqual(1);
    await world.sweeper.runOnce();
    expect((await runOf(world, other.runId)).exitCause).toBe('lost');
  });

  it('a run that it does not list after 5 s is lost; one it lists is not', async () => {
    await world.clock.frozen(async () => {
      const listed = await world.warmAgent(await asleep(), 'host-b');
      const unlisted = await world.warmAgent(await asleep(), 'host-b');
      world.clock.advance(4_000);
      await world.coordinator('host-b', [listed.runId]);
      expect((await runOf(world, unlisted.runId)).state).toBe('running');
      world.clock.advance(2_000);
      await world.coordinator('host-b', [listed.runId]);
      expect((await runOf(world, unlisted.runId)).exitCause).toBe('lost');
      expect((await sessionOf(world, unlisted.caller.sessionId)).state).toBe('ended');
      expect((await runOf(world, listed.runId)).state).toBe('running');
    });
  });

  it('a beat that comes late, from a server that was frozen, says nothing about runs that were started meanwhile', async () => {
    await world.clock.frozen(async () => {
      const asOf = world.clock.now();
      const { runId } = await world.warmAgent(await asleep(), 'host-c');
      world.clock.advance(6_000);
      const beat = { ...world.beatOf('host-c'), asOf };
      await world.coordination.beat(beat);
      expect((await runOf(world, runId)).state).toBe('running');
      await world.coordination.beat({ ...beat, asOf: world.clock.now() });
      expect((await runOf(world, runId)).exitCause).toBe('lost');
    });
  });

  it('is shown as gone after 15 s, and a person who starts a chat is warned', async () => {
    const membership = await asleep();
    world.clock.advance(15_001);
    expect(await world.chat.start(world.owner, membership)).toEqual({
      status: 'started',
      warning: 'no_coordinator',
    });
    expect(await statusOf(world, membership)).toMatchObject({
      chatStatus: 'queued',
      reason: 'no_coordinator',
    });
    expect((await world.presence.coordinators(world.owner)).every(({ alive }) => !alive)).toBe(true);
    await world.coordinator();
    expect((await world.presence.coordinators(world.owner)).find(({ id }) => id === 'host-a')).toMatchObject({
      alive: true,
    });
    expect(await statusOf(world, membership)).toEqual({
      chat: 0,
      task: 0,
      chatStatus: 'queued',
      since: expect.any(String),
    });
  });
});
