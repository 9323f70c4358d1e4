import { sql } from 'kysely';
import type { AgentSessionView, CoordinatorView, PendingPurposeView } from '../../contract/chat.ts';
import { type Person, requireMember } from '../access/person.ts';
import { COORDINATOR_SILENT_MS } from '../coordinators/coordinator-alive.ts';
import type { ServiceDeps } from '../deps.ts';
import { HELD_SQL, UNREAD_SQL } from '../sessions/session-work.ts';
import { type ChatStatusView, decideChatStatus } from './rules/chat-status.ts';
import { ViewerQueries } from './viewer-queries.ts';

interface PresenceRow {
  agentId: string;
  memberSince: Date;
  chat: number;
  task: number;
  session: (Omit<NonNullable<ChatStatusView['session']>, DateKeys> & Record<DateKeys, string | null>) | null;
  row: (Omit<NonNullable<ChatStatusView['row']>, RowDates> & Record<RowDates, string | null>) | null;
  failure: { code: string; at: string } | null;
  coordinatorAlive: boolean;
}
type DateKeys = 'createdAt' | 'terminatingAt' | 'lastActivityAt';
type RowDates = 'createdAt' | 'startedAt' | 'notBefore';

/** Who is awake, who is being woken, who could wake them; and who looks. */
export class PresenceService {
  readonly #deps: Pick<ServiceDeps, 'database' | 'clock' | 'settings'>;

  constructor(deps: Pick<ServiceDeps, 'database' | 'clock' | 'settings'>) {
    this.#deps = deps;
  }

  /** Every AI member of the project, or the named ones; `person` null: asked by the server itself. */
  async agentSessions(
    person: Person | null,
    projectId: string,
    agentIds?: readonly string[],
  ): Promise<Record<string, AgentSessionView>> {
    if (person !== null) await requireMember(this.#deps.database.db, person, projectId);
    const idleMs = (await this.#deps.settings.current()).sessionIdleTimeoutSeconds * 1_000;
    const rows = await this.#read(projectId, agentIds);
    return Object.fromEntries(rows.map((row) => [row.agentId, toView(row, idleMs)]));
  }

  /** Wake-ups that stand, and what became of recent ones. */
  async pendingPurposes(
    person: Person,
    projectId: string,
    includeRecentSeconds = 0,
  ): Promise<PendingPurposeView[]> {
    await requireMember(this.#deps.database.db, person, projectId);
    const since = new Date(this.#deps.clock.now().getTime() - includeRecentSeconds * 1_000);
    const { rows } = await sql<PurposeViewRow>`
      select agent_id, purpose, task_id, conversation_id, created_at, started_at,
        null::timestamptz as removed_at, null as outcome
      from pending_agent_purposes where project_id = ${projectId}
      union all
      (select agent_id, purpose, task_id, conversation_id, created_at, started_at, removed_at, outcome
      from pending_purpose_outcomes
      where project_id = ${projectId} and ${includeRecentSeconds} > 0 and removed_at >= ${since}
      order by removed_at desc limit 200)
      order by created_at`.execute(this.#deps.database.db);
    return rows.map(toPurposeView);
  }

  /** Every Coordinator that was ever seen and not long ago forgotten. */
  async coordinators(_person: Person): Promise<CoordinatorView[]> {
    const silentSince = this.#deps.clock.now().getTime() - COORDINATOR_SILENT_MS;
    const rows = await this.#deps.database.db.selectFrom('coordinators').selectAll().orderBy('id').execute();
    return rows.map((row) => ({
      id: row.id,
      host: row.host,
      alive: row.lastSeenAt.getTime() >= silentSince,
      lastSeenAt: row.lastSeenAt.toISOString(),
      capacity: row.capacity,
      used: row.used,
      labels: row.labels,
    }));
  }

  /** A chat call named its viewer: its lease runs anew. */
  async renewViewer(
    person: Person,
    viewer: { projectId: string; agentId: string; viewerId: string },
  ): Promise<void> {
    await this.#renew(person, viewer);
  }

  /** The socket of this viewer is open: all its chats of the project stay looked at. */
  async renewViewers(person: Person, viewer: { projectId: string; viewerId: string }): Promise<void> {
    await this.#renew(person, viewer);
  }

  async #renew(
    person: Person,
    viewer: { projectId: string; agentId?: string; viewerId: string },
  ): Promise<void> {
    const { viewerLeaseSeconds } = await this.#deps.settings.current();
    const leaseUntil = new Date(this.#deps.clock.now().getTime() + viewerLeaseSeconds * 1_000);
    await new ViewerQueries(this.#deps.database.db).renewExisting({
      ...viewer,
      humanId: person.id,
      leaseUntil,
    });
  }

  async #read(projectId: string, agentIds: readonly string[] | undefined): Promise<PresenceRow[]> {
    const silentSince = new Date(this.#deps.clock.now().getTime() - COORDINATOR_SILENT_MS);
    const only = agentIds === undefined ? sql`` : sql`and a.id = any(${agentIds}::text[])`;
    // The queue is counted through once for all who stand in it, and not at all when nobody does.
    const { rows } = await sql<PresenceRow>`
      with queue as materialized (
        select project_id, agent_id, purpose, task_id, row_number() over (order by created_at, project_id, agent_id) as position
        from pending_agent_purposes where held_for = 'capacity'
      )
      select a.id as agent_id, pa.created_at as member_since,
        (select count(*)::int from agent_sessions s where s.project_id = pa.project_id and s.agent_id = a.id
          and s.purpose = 'chat' and s.state = 'active') as chat,
        (select count(*)::int from agent_sessions s where s.project_id = pa.project_id and s.agent_id = a.id
          and s.purpose = 'task' and s.state = 'active') as task,
        (select jsonb_build_object('state', s.state, 'createdAt', s.created_at, 'terminatingAt', s.terminating_at,
            'lastActivityAt', s.last_activity_at, 'phase', s.phase,
            'openQuestion', exists (select from user_questions q
              where q.session_id = s.id and q.told_at is null and q.state = 'pending'),
            'held', ${sql.raw(HELD_SQL)}, 'unread', ${sql.raw(UNREAD_SQL)})
          from agent_sessions s where s.project_id = pa.project_id and s.agent_id = a.id and s.purpose = 'chat'
            and s.state <> 'ended' order by s.state, s.created_at desc limit 1) as session,
        (select jsonb_build_object('createdAt', p.created_at, 'startedAt', p.started_at, 'notBefore', p.not_before,
            'heldFor', p.held_for,
            'position', case when p.held_for = 'capacity' then (select queue.position from queue
              where (queue.project_id, queue.agent_id, queue.purpose, queue.task_id)
                = (p.project_id, p.agent_id, p.purpose, p.task_id)) end,
            'hasError', p.last_error is not null,
            'signInRefused', coalesce(r.sign_in_refused_at is not null, false),
            'processStarted', coalesce(r.pid is not null, false))
          from pending_agent_purposes p left join agent_runs r on r.id = p.run_id
          where p.project_id = pa.project_id and p.agent_id = a.id and p.purpose = 'chat' limit 1) as "row",
        (select case when m.sender = 'system' then jsonb_build_object('code', m.system ->> 'code', 'at', m.created_at) end
          from chat_messages m where m.thread_id = pa.project_id || '/' || a.id and m.visible
          order by m.seq desc limit 1) as failure,
        exists (select from coordinators c where c.last_seen_at >= ${silentSince}) as coordinator_alive
      from project_agents pa
      join agents a on a.id = pa.agent_id and a.type = 'ai' and a.deleted_at is null
      where pa.project_id = ${projectId} ${only}
      order by a.id`.execute(this.#deps.database.db);
    return rows;
  }
}

function toView(row: PresenceRow, idleMs: number): AgentSessionView {
  const session =
    row.session === null
      ? null
      : {
          ...row.session,
          createdAt: date(row.session.createdAt),
          lastActivityAt: date(row.session.lastActivityAt),
          terminatingAt: row.session.terminatingAt === null ? null : date(row.session.terminatingAt),
        };
  const status = decideChatStatus({
    session,
    row:
      row.row === null
        ? null
        : {
            ...row.row,
            createdAt: date(row.row.createdAt),
            startedAt: row.row.startedAt === null ? null : date(row.row.startedAt),
            notBefore: row.row.notBefore === null ? null : date(row.row.notBefore),
          },
    failure: row.failure === null ? null : { code: row.failure.code, at: date(row.failure.at) },
    coordinatorAlive: row.coordinatorAlive,
  });
  const idleAt =
    status.chatStatus === 'ready' && session !== null
      ? new Date(session.lastActivityAt.getTime() + idleMs).toISOString()
      : undefined;
  return {
    chat: row.chat,
    task: row.task,
    chatStatus: status.chatStatus,
    ...(status.phase !== undefined && { phase: status.phase }),
    ...(status.reason !== undefined && { reason: status.reason }),
    ...(status.position !== undefined && { position: status.position }),
    since: (status.since ?? row.memberSince).toISOString(),
    ...(idleAt !== undefined && { idleAt }),
  };
}

function date(value: string | null): Date {
  return new Date(value ?? 0);
}

interface PurposeViewRow {
  agentId: string;
  purpose: 'chat' | 'task';
  taskId: string;
  conversationId: string | null;
  createdAt: Date;
  startedAt: Date | null;
  removedAt: Date | null;
  outcome: 'authenticated' | 'expired' | 'taken_by_session' | null;
}

function toPurposeView(row: PurposeViewRow): PendingPurposeView {
  return {
    agentId: row.agentId,
    purpose: row.purpose,
    ...(row.taskId !== '' && { taskId: row.taskId }),
    ...(row.conversationId !== null && { conversationId: row.conversationId }),
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    ...(row.removedAt !== null && { removedAt: row.removedAt.toISOString() }),
    ...(row.outcome !== null && { outcome: row.outcome }),
  };
}
