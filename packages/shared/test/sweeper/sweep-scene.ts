import { sql } from 'kysely';
import type { SweepStepName } from '../../src/core/sweeper/sweep-steps.ts';
import type { ServiceWorld, WorldAgent } from '../../src/testing/service-world.ts';
import { runOf } from '../chat/chat-support.ts';

/** What a step has to put right, in a project of its own. */
export interface Scene {
  /** Makes it; returns its id. What is made later, for an agent with a higher id, comes later in every order of a step. */
  make(world: ServiceWorld, membership: WorldAgent): Promise<string>;
  /** After how long the step has to do something; absent: at once. */
  readonly afterMs?: number;
  isDone(world: ServiceWorld, membership: WorldAgent, id: string): Promise<boolean>;
}

/** Named after their steps. */
export type Scenes = Partial<Record<SweepStepName, Scene>>;

/**
 * A project in which no change can be stored, nor the reply of a turn: whatever the sweeper does there throws, for real
 * and each time.
 */
export async function preparePoison({ database }: ServiceWorld): Promise<void> {
  await sql
    .raw(`create table poisoned (project_id text primary key);
    create function refuse() returns trigger language plpgsql as $$ begin
      if exists (select from poisoned p where p.project_id = new.project_id) then raise exception 'poisoned'; end if;
      return new;
    end $$;
    create trigger refuse before insert on change_log for each row execute function refuse();
    create trigger refuse before update on memory_events for each row execute function refuse()`)
    .execute(database.db);
}

export async function poison({ database }: ServiceWorld, { projectId }: WorldAgent): Promise<void> {
  await sql`insert into poisoned values (${projectId})`.execute(database.db);
}

export async function heal({ database }: ServiceWorld): Promise<void> {
  await sql`delete from poisoned`.execute(database.db);
}

/** Lets time go by while the Coordinator beats with all that it runs. */
export async function pass(world: ServiceWorld, ms: number): Promise<void> {
  world.clock.advance(ms);
  const { rows } = await sql<{ id: string }>`select id from agent_runs
    where state <> 'exited' and coordinator_id = 'host-a'`.execute(world.database.db);
  await world.coordinator(
    'host-a',
    rows.map(({ id }) => id),
  );
}

export async function stateOf(world: ServiceWorld, { agentId }: WorldAgent): Promise<string | undefined> {
  const { rows } = await sql<{ state: string }>`select state from agent_sessions
    where agent_id = ${agentId} order by created_at desc limit 1`.execute(world.database.db);
  return rows[0]?.state;
}

export async function exitCauseOf(world: ServiceWorld, runId: string): Promise<string | null> {
  return (await runOf(world, runId)).exitCause;
}

/** As if the process that should have woken it had died before. */
export async function forgetWakeUps(world: ServiceWorld, { agentId }: WorldAgent): Promise<void> {
  await world.database.db.deleteFrom('pendingAgentPurposes').where('agentId', '=', agentId).execute();
}

export function scheduleOf(world: ServiceWorld, { projectId, agentId }: WorldAgent) {
  return {
    id: `sch_${agentId}`,
    projectId,
    agentId,
    cron: '0 9 * * *',
    timeZone: 'UTC',
    prompt: 'x',
    enabled: true,
    onMissed: 'once',
    createdBy: world.owner.id,
  };
}

/** Nothing of one test is left to be put right in the next one. */
export async function settle(world: ServiceWorld): Promise<void> {
  const { db } = world.database;
  await heal(world);
  await sql`update schedules set enabled = false, next_run_at = null, off_said = true`.execute(db);
  await sql`update tasks set status = 'done' where status = 'in_progress'`.execute(db);
  await sql`update agents set daily_token_limit = null`.execute(db);
  await sql`delete from chat_turns`.execute(db);
  await sql`delete from pending_agent_purposes`.execute(db);
  await sql`update chat_messages set state = 'answered', answered_at = now(), delivered_session_id = null
    where state in ('stored', 'delivered')`.execute(db);
  for (const cards of ['user_questions', 'approvals'])
    await sql`update ${sql.table(cards)} set state = 'cancelled', resolved_at = now()
      where state = 'pending'`.execute(db);
  await sql`update conversations set state = 'ended', ended_at = coalesce(ended_at, now()),
    end_reason = coalesce(end_reason, 'timeout') where state <> 'ended'`.execute(db);
  await sql`update agent_sessions set state = 'ended', ended_at = now() where state <> 'ended'`.execute(db);
  await sql`update agent_runs set state = 'exited', ended_at = now(), exit_cause = 'finished'
    where state <> 'exited'`.execute(db);
}
