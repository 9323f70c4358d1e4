import pg from 'pg';
import { expect } from 'vitest';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { CoordinationService } from '../../src/core/coordinators/coordination-service.ts';
import { dueSchedules, unsaidSchedules } from '../../src/core/schedules/sweep-due-schedules.ts';
import { Sweeper } from '../../src/core/sweeper/sweeper.ts';
import type { AgentAction } from '../../src/core/wake-ups/take-start.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import type { ServiceWorld, WorldAgent } from '../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';

export type Start = Extract<AgentAction, { action: 'start' }>;

/** A membership's wake-up as the database has it, or undefined. */
export async function rowOf(world: ServiceWorld, membership: WorldAgent) {
  return world.database.db
    .selectFrom('pendingAgentPurposes')
    .selectAll()
    .where('projectId', '=', membership.projectId)
    .where('agentId', '=', membership.agentId)
    .executeTakeFirst();
}

/** What became of the membership's wake-ups, the oldest first. */
export async function outcomesOf(world: ServiceWorld, membership: WorldAgent): Promise<string[]> {
  const rows = await world.database.db
    .selectFrom('pendingPurposeOutcomes')
    .select('outcome')
    .where('projectId', '=', membership.projectId)
    .where('agentId', '=', membership.agentId)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.outcome);
}

export async function sessionOf(world: ServiceWorld, sessionId: string) {
  return world.database.db
    .selectFrom('agentSessions')
    .selectAll()
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
}

export async function runOf(world: ServiceWorld, runId: string) {
  return world.database.db
    .selectFrom('agentRuns')
    .selectAll()
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();
}

export async function messageOf(world: ServiceWorld, id: string) {
  const message = (await world.history.byIds([id])).get(id);
  if (!message) throw new Error(`no message ${id}`);
  return message;
}

/** The visible lines that the system said in a chat. */
export async function systemLines(world: ServiceWorld, membership: WorldAgent) {
  const { messages } = await world.history.list(world.owner, { ...membership, limit: 200 });
  return messages.filter((message) => message.sender === 'system');
}

/** What the next fetch gives, what is given again included. */
export async function givenIds(world: ServiceWorld, caller: AgentCaller): Promise<string[]> {
  return (await world.delivery.take(caller)).pendingMessages.map(({ id }) => id);
}

export async function nextAction(world: ServiceWorld, sessionId: string) {
  return (await world.sessions.nextActions([sessionId])).get(sessionId);
}

export async function statusOf(world: ServiceWorld, membership: WorldAgent) {
  const view = (await world.presence.agentSessions(world.owner, membership.projectId))[membership.agentId];
  if (!view) throw new Error('no such agent');
  return view;
}

export async function takeStart(
  world: ServiceWorld,
  membership: WorldAgent,
  coordinatorId = 'host-a',
): Promise<Start> {
  const action = await world.coordination.getAgentAction({ ...membership, coordinatorId });
  if (action.action !== 'start') throw new Error(`held: ${action.reason}`);
  return action;
}

/** Another process's view of Coordinators' questions: its own connections. */
export function coordinationOnOwnConnections(world: ServiceWorld, maxConnections: number) {
  const database = openDatabase({
    clock: world.clock,
    url: world.database.url,
    maxConnections,
    transactionTimeoutMs: LONG_TIMEOUT_MS,
  });
  const deps = { ...world.deps, database };
  return {
    deps,
    coordination: new CoordinationService(deps),
    close: () => database.close(),
  };
}

/** One round of a sweeper that only looks at schedules; nothing else is late for it. */
export async function sweepSchedules(world: ServiceWorld): Promise<void> {
  await new Sweeper(world.deps, { schedules: dueSchedules, schedulesOff: unsaidSchedules }).runOnce();
}

/** What is stored later has a later time: of the same millisecond none is the older. */
export async function untilLater({ database }: ServiceWorld): Promise<void> {
  const now = async () => {
    const { rows } = await database.pool.query<{ ms: Date }>(
      "select date_trunc('milliseconds', clock_timestamp()) as ms",
    );
    return rows[0]?.ms.getTime() ?? 0;
  };
  await expect.poll(now).toBeGreaterThan(await now());
}

/** A connection of a test's own, to hold a lock as a pause point. */
export async function rawClient(world: ServiceWorld): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: world.database.url });
  await client.connect();
  return client;
}

/** Resolves once that many statements wait for a lock; the test's own time limit ends a wait in vain. */
export async function untilBlocked(world: ServiceWorld, count: number): Promise<void> {
  for (;;) {
    // Not on the connection that holds the lock: a transaction sees one state of pg_stat_activity only.
    const { rows } = await world.database.pool.query(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows[0].n >= count) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** For the end of a file: everything that its tests left behind is in order. */
export async function expectInvariants(world: ServiceWorld): Promise<void> {
  await world.sweeper.runOnce();
  expect(await checkInvariants(world.database, { settled: true })).toEqual([]);
}

/** What a running turn hears at its beat, told at once. */
export async function beat(world: ServiceWorld, caller: AgentCaller, phase = 'thinking') {
  await world.sessions.beat(caller, { phase });
  const offer = (await world.sessions.controls([caller.sessionId])).get(caller.sessionId) ?? null;
  if (offer === null) return null;
  await world.sessions.offerControl(caller.sessionId, offer.control);
  await world.sessions.controlAcknowledged(caller.sessionId, offer.control);
  return offer;
}
