import { sql } from 'kysely';
import { pruneLog } from '../changes/change-log.ts';
import { type PurposeKey, PurposeRepository } from '../db/repositories/purpose-repository.ts';
import { SessionRepository } from '../db/repositories/session-repository.ts';
import { NOBODY_HOLDS_SQL } from '../db/repositories/session-work.ts';
import { ViewerRepository } from '../db/repositories/viewer-repository.ts';
import { tickConversations } from './conversation-time.ts';
import { tellSilentCoordinators } from './coordinator-alive.ts';
import { loseSilentCoordinators } from './coordinator-beat.ts';
import type { ServiceDeps } from './deps.ts';
import { failStranded } from './going-away.ts';
import { couldHear } from './listening.ts';
import { makeRoom } from './places.ts';
import { expirePurpose } from './purpose-expiry.ts';
import type { QuestionService } from './question-service.ts';
import { noteRunExit } from './run-exit.ts';
import { requestRunStop } from './run-stop.ts';
import type { ScheduleService } from './schedule-service.ts';
import { applySessionCommand, nowIn, tellPair, wakeIfWaiting } from './session-lifecycle.ts';
import type { SessionService } from './session-service.ts';
import { endSilentSessions, stopAbandonedRuns } from './silent-sessions.ts';
import { giveUpUnwatched } from './unwatched-runs.ts';

const INTERVAL_MS = 1_000;
const PRUNE_EVERY_MS = 10 * 60_000;
const LOG_KEPT_MS = 48 * 3_600_000;
const OUTCOMES_KEPT_MS = 3_600_000;
const VIEWERS_KEPT_MS = 24 * 3_600_000;
/** A session of a run that has not called for this long, and whose run is over, is over too. */
const DEAD_RUN_SILENCE_MS = 20_000;

/** Our own runner beats every ten seconds, and holds no call longer than 25 s. */
const RUNNER_SILENCE_MS = 45_000;
/** A pause this long between two rounds means that we slept or the database was away: silence proves nothing yet. */
const OWN_PAUSE_MS = 10_000;

/** What one round did, so that tests and logs need no spies. */
export interface SweepReport {
  idle: number;
  expired: number;
  silent: number;
  abandoned: number;
  stalled: number;
  ended: number;
  closed: number;
  evicted: number;
  repaired: number;
  unwatched: number;
  silentCoordinators: number;
  lostCoordinators: number;
  questions: number;
  schedules: number;
  conversations: number;
}

/**
 * Puts right what nobody asked for in time: idleness, TTLs, ends that were never finished, lost hosts, wake-ups that
 * are missing. Runs in several processes at once without a leader: every step locks, looks again and is guarded.
 */
export class Sweeper {
  readonly #deps: ServiceDeps;
  readonly #sessions: SessionService;
  readonly #questions: QuestionService;
  readonly #schedules: ScheduleService;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<unknown> = Promise.resolve();
  #prunedAt = 0;
  #lastRoundAt = 0;
  /** Since when rounds have followed each other without a pause. */
  #awakeSince = 0;

  constructor(
    deps: ServiceDeps,
    services: {
      sessions: SessionService;
      questions: QuestionService;
      schedules: ScheduleService;
    },
  ) {
    this.#deps = deps;
    this.#sessions = services.sessions;
    this.#questions = services.questions;
    this.#schedules = services.schedules;
  }

  start(): void {
    const loop = () => {
      this.#round = this.runOnce()
        .catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'sweep failed'))
        .then(() => {
          if (this.#timer !== undefined) this.#timer = setTimeout(loop, INTERVAL_MS);
        });
    };
    this.#timer = setTimeout(loop, INTERVAL_MS);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#round;
  }

  async runOnce(): Promise<SweepReport> {
    const startedAt = this.#deps.clock.now().getTime();
    if (startedAt - this.#lastRoundAt > OWN_PAUSE_MS) this.#awakeSince = startedAt;
    this.#lastRoundAt = startedAt;
    const report: SweepReport = {
      idle: await this.#expireIdle(),
      expired: await this.#expirePurposes(),
      silent: await endSilentSessions(this.#deps),
      abandoned: await stopAbandonedRuns(this.#deps),
      stalled: await this.#endStalled(),
      ended: await this.#finishEnding(),
      closed: await this.#settleCloses(),
      evicted: await makeRoom(this.#deps),
      repaired: await this.#repairWakeUps(),
      unwatched: await giveUpUnwatched(this.#deps),
      silentCoordinators: await tellSilentCoordinators(this.#deps),
      lostCoordinators: await loseSilentCoordinators(this.#deps),
      questions: await this.#questions.sweep(),
      schedules: await this.#schedules.sweep(),
      conversations: await tickConversations(this.#deps),
    };
    await this.#prune();
    return report;
  }

  async #expireIdle(): Promise<number> {
    const timeoutMs = (await this.#deps.settings.current()).sessionIdleTimeoutSeconds * 1_000;
    const before = new Date(this.#deps.clock.now().getTime() - timeoutMs);
    const candidates = await this.#deps.database.db
      .selectFrom('agentSessions')
      .select('id')
      .where('state', '=', 'active')
      .where('lastActivityAt', '<=', before)
      .limit(200)
      .execute();
    let count = 0;
    for (const { id } of candidates) if (await this.#sessions.expireIdle(id, timeoutMs)) count += 1;
    return count;
  }

  async #expirePurposes(): Promise<number> {
    const ttlMs = (await this.#deps.settings.current()).pendingPurposeTtlSeconds * 1_000;
    const rows = await new PurposeRepository(this.#deps.database.db).oldOrHeldRows(
      this.#deps.clock.now(),
      ttlMs,
    );
    let count = 0;
    for (const row of rows) if (await expirePurpose(this.#deps, row)) count += 1;
    return count;
  }

  /**
   * A turn past its time, and a run of our own runner that shows no sign of life: given up as stalled, its work goes
   * back, its process is ended. A session without a run has nobody who would report its end, so this is what brings
   * back a message that died with it (trap 19).
   */
  async #endStalled(): Promise<number> {
    const turnMs = (await this.#deps.settings.current()).turnTimeoutSeconds * 1_000;
    const now = await nowIn(this.#deps.database, this.#deps.clock);
    const turnsSince = turnMs === 0 ? null : new Date(now.getTime() - turnMs);
    const silentSince = new Date(now.getTime() - RUNNER_SILENCE_MS);
    const sawSilence =
      this.#awakeSince <= silentSince.getTime() &&
      (await couldHear(this.#deps.database.db, now, RUNNER_SILENCE_MS));
    const { rows } = await sql<{ id: string; projectId: string; agentId: string; runId: string | null }>`
      select s.id, s.project_id, s.agent_id, s.run_id
      from agent_sessions s left join agent_runs r on r.id = s.run_id
      where s.state = 'active' and (
        (s.last_activity_at <= ${turnsSince}::timestamptz and exists (
          select from chat_messages m where m.delivered_session_id = s.id and m.state = 'delivered')
          and not exists (select from user_questions q where q.session_id = s.id and q.state = 'pending'))
        or (${sawSilence} and r.state <> 'exited' and r.provider in ('builtin', 'claude', 'openai')
          and s.last_seen_at <= ${silentSince}))
      limit 200`.execute(this.#deps.database.db);
    for (const { runId, ...session } of rows) {
      if (runId !== null) await noteRunExit(this.#deps, { runId, exitCode: null }, 'stalled');
      else await this.#endTurn(session, turnsSince);
    }
    return rows.length;
  }

  async #endTurn(found: PurposeKey & { id: string }, turnsSince: Date | null): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const sessions = new SessionRepository(tx.db);
      await sessions.lockPair(found.projectId, found.agentId);
      const session = await sessions.lockById(found.id);
      // It may have answered meanwhile.
      if (!session || turnsSince === null || session.lastActivityAt > turnsSince) return;
      await applySessionCommand(
        tx,
        session,
        { type: 'end', reason: 'run_stopped' },
        await nowIn(tx, this.#deps.clock),
      );
      await applySessionCommand(tx, session, { type: 'finish' }, await nowIn(tx, this.#deps.clock));
    });
  }

  /** Sessions that were told long enough ago, or whose run is over and that fell silent. */
  async #finishEnding(): Promise<number> {
    const now = this.#deps.clock.now();
    const silentSince = new Date(now.getTime() - DEAD_RUN_SILENCE_MS);
    const { rows } = await sql<{
      id: string;
      projectId: string;
      agentId: string;
      runId: string | null;
      runOver: boolean;
    }>`
      select s.id, s.project_id, s.agent_id, s.run_id, coalesce(r.state = 'exited', false) as run_over
      from agent_sessions s left join agent_runs r on r.id = s.run_id
      where (s.state = 'terminating' and s.terminating_at <= ${new Date(now.getTime() - 15_000)})
        or (s.state <> 'ended' and r.state = 'exited' and s.last_seen_at <= ${silentSince})
      limit 200`.execute(this.#deps.database.db);
    let count = 0;
    for (const row of rows) {
      count += await this.#deps.database.transaction(async (tx) => {
        const sessions = new SessionRepository(tx.db);
        await sessions.lockPair(row.projectId, row.agentId);
        const session = await sessions.lockById(row.id);
        if (!session) return 0;
        const at = await nowIn(tx, this.#deps.clock);
        const type = row.runOver ? 'finish' : 'grace_over';
        if ((await applySessionCommand(tx, session, { type }, at)) === null) return 0;
        // It had its time: the process is ended.
        if (row.runId !== null && !row.runOver)
          await requestRunStop(tx, row.runId, session.end?.reason ?? 'run_stopped', at);
        return 1;
      });
    }
    return count;
  }

  /** An unload beacon whose grace is over counts as a close now; a close that had to wait and need not any more. */
  async #settleCloses(): Promise<number> {
    const { db } = this.#deps.database;
    let count = 0;
    for (const pair of await new ViewerRepository(db).pairsOfGone(this.#deps.clock.now()))
      count += await this.#close(pair, 'close');
    for (const pair of await new SessionRepository(db).closableWithoutWork())
      count += await this.#close(pair, 'settle_close');
    return count;
  }

  async #close(pair: PurposeKey, type: 'close' | 'settle_close'): Promise<number> {
    return this.#deps.database.transaction(async (tx) => {
      const sessions = new SessionRepository(tx.db);
      const viewers = new ViewerRepository(tx.db);
      await sessions.lockPair(pair.projectId, pair.agentId);
      const now = await nowIn(tx, this.#deps.clock);
      if (type === 'close' && !(await viewers.removeGone(pair, now))) return 0;
      const viewersLeft = await viewers.count(pair, now);
      let closed = 0;
      for (const session of await sessions.lockOpen(pair.projectId, pair.agentId)) {
        if (session.purpose !== 'chat') continue;
        const work = await sessions.work(session.id);
        if (await applySessionCommand(tx, session, { type, viewersLeft, work }, now)) closed += 1;
      }
      return closed;
    });
  }

  /**
   * A stored message to an agent with nothing live and no wake-up gets one; never the other way round. Where nobody can
   * come any more, it fails.
   */
  async #repairWakeUps(): Promise<number> {
    // Hops from pair to pair over the index of unread messages: the cost follows the pairs, not their messages.
    const { rows } = await sql<{ projectId: string; agentId: string; openedBy: string | null }>`
      with recursive waiting as (
        (select deliver_to, project_id from chat_messages
        where state = 'stored' and deliver_to is not null order by deliver_to, project_id limit 1)
        union all
        select next.deliver_to, next.project_id from waiting w cross join lateral (
          select m.deliver_to, m.project_id from chat_messages m
          where m.state = 'stored' and m.deliver_to is not null
            and (m.deliver_to, m.project_id) > (w.deliver_to, w.project_id)
          order by m.deliver_to, m.project_id limit 1) next
      )
      select w.project_id, w.deliver_to as agent_id, (select m.human_id from chat_messages m
          where m.deliver_to = w.deliver_to and m.project_id = w.project_id and m.state = 'stored'
            and m.human_id is not null and m.schedule_id is null order by m.seq limit 1) as opened_by
      from waiting w
      where not exists (select from pending_agent_purposes p where p.project_id = w.project_id
          and p.agent_id = w.deliver_to and p.purpose = 'chat')
        and not exists (select from agent_sessions s where s.project_id = w.project_id
          and s.agent_id = w.deliver_to and s.purpose = 'chat' and s.state = 'active')
        and exists (select from chat_messages m where m.deliver_to = w.deliver_to and m.project_id = w.project_id
          and m.state = 'stored' and ${sql.raw(NOBODY_HOLDS_SQL)} and m.created_at < ${new Date(this.#deps.clock.now().getTime() - 500)})
      limit 200`.execute(this.#deps.database.db);
    let count = 0;
    for (const pair of rows) {
      const made = await this.#deps.database.transaction(async (tx) => {
        const sessions = new SessionRepository(tx.db);
        const isMember = await sessions.lockPair(pair.projectId, pair.agentId);
        const now = await nowIn(tx, this.#deps.clock);
        if (await failStranded(tx, pair, now)) return true;
        if (!isMember) return false;
        const ending = (await sessions.lockOpen(pair.projectId, pair.agentId)).find(
          (one) => one.purpose === 'chat',
        );
        if (ending && (await applySessionCommand(tx, ending, { type: 'revive' }, now)) !== null) {
          await tellPair(tx, pair);
          return true;
        }
        return wakeIfWaiting(tx, pair, { openedBy: pair.openedBy, now });
      });
      if (made) count += 1;
    }
    return count;
  }

  async #prune(): Promise<void> {
    const now = this.#deps.clock.now().getTime();
    if (now - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = now;
    const { db } = this.#deps.database;
    await pruneLog(db, new Date(now - LOG_KEPT_MS));
    await db
      .deleteFrom('pendingPurposeOutcomes')
      .where('removedAt', '<', new Date(now - OUTCOMES_KEPT_MS))
      .execute();
    await new ViewerRepository(db).prune(new Date(now - VIEWERS_KEPT_MS));
  }
}
