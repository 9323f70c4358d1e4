import {
  type AgentSessionView,
  agentSessionSchema,
  type CoordinatorView,
  type Overview,
  type PendingPurposeView,
} from '../../contract/chat.ts';
import { type Person, requireMember } from '../access/person.ts';
import { COORDINATOR_SILENT_MS } from '../coordinators/coordinator-alive.ts';
import { listCoordinators } from '../coordinators/coordinator-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { listOverviewMembers, listOverviewProjects } from './overview-queries.ts';
import {
  listWakeUps,
  type PresenceRow,
  readMembersAtCard,
  readPresence,
  readPresenceOfMembers,
  type WakeUpRow,
} from './presence-queries.ts';
import { decideChatStatus } from './rules/chat-status.ts';
import { overviewState } from './rules/overview-state.ts';
import { ViewerQueries } from './viewer-queries.ts';

/** Which agents are awake, which are being woken, which Coordinators could wake them; and the viewers. */
export class PresenceService {
  readonly #deps: Pick<ServiceDeps, 'database' | 'clock' | 'settings'>;

  constructor(deps: Pick<ServiceDeps, 'database' | 'clock' | 'settings'>) {
    this.#deps = deps;
  }

  /** Every AI member of the project, or the named ones; `person` null: the server itself asks. */
  async agentSessions(
    person: Person | null,
    projectId: string,
    agentIds?: readonly string[],
  ): Promise<Record<string, AgentSessionView>> {
    if (person !== null) await requireMember(this.#deps.database.db, person, projectId);
    const idleMs = (await this.#deps.settings.current()).sessionIdleTimeoutSeconds * 1_000;
    const silentSince = new Date(this.#deps.clock.now().getTime() - COORDINATOR_SILENT_MS);
    const rows = await readPresence(this.#deps.database.db, { projectId, agentIds, silentSince });
    return Object.fromEntries(rows.map((row) => [row.agentId, toView(row, idleMs)]));
  }

  /** The projects of a person and what the agents in them do, in one bounded read: for the switcher of the page. */
  async overview(person: Person): Promise<Overview> {
    const { db } = this.#deps.database;
    const silentSince = new Date(this.#deps.clock.now().getTime() - COORDINATOR_SILENT_MS);
    const projects = await listOverviewProjects(db, person);
    const ids = projects.map(({ id }) => id);
    const members = await listOverviewMembers(db, { humanId: person.id, projectIds: ids });
    const rows = await readPresenceOfMembers(db, { members, silentSince });
    const views = new Map(rows.map((row) => [`${row.projectId} ${row.agentId}`, toView(row, 0)]));
    const agents = members.flatMap(({ asks, ...member }) => {
      const view = views.get(`${member.projectId} ${member.agentId}`);
      return view ? [{ ...member, since: view.since, state: overviewState(view, asks) }] : [];
    });
    return { projects, agents };
  }

  /** Those of these agents that have asked a person something in the chat, and have not heard what became of it. */
  membersAtCard(members: readonly MembershipKey[]): Promise<readonly MembershipKey[]> {
    return readMembersAtCard(this.#deps.database.db, members);
  }

  /** Wake-ups that exist, and the outcome of recent ones. */
  async pendingPurposes(
    person: Person,
    projectId: string,
    includeRecentSeconds = 0,
  ): Promise<PendingPurposeView[]> {
    await requireMember(this.#deps.database.db, person, projectId);
    const since = new Date(this.#deps.clock.now().getTime() - includeRecentSeconds * 1_000);
    const rows = await listWakeUps(this.#deps.database.db, { projectId, includeRecentSeconds, since });
    return rows.map(toPurposeView);
  }

  /** Every Coordinator that was ever seen, except those forgotten after their retention. */
  async coordinators(_person: Person): Promise<CoordinatorView[]> {
    const silentSince = this.#deps.clock.now().getTime() - COORDINATOR_SILENT_MS;
    const rows = await listCoordinators(this.#deps.database.db);
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

  /** A chat call named its viewer: its lease is renewed. */
  async renewViewer(
    person: Person,
    viewer: { projectId: string; agentId: string; viewerId: string },
  ): Promise<void> {
    await this.#renew(person, viewer);
  }

  /** The socket of this viewer is open: it stays a viewer of all its chats of the project. */
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
}

const { shape } = agentSessionSchema;

function toView(row: PresenceRow, idleMs: number): AgentSessionView {
  const session =
    row.session === null
      ? null
      : {
          ...row.session,
          createdAt: date(row.session.createdAt),
          lastActivityAt: date(row.session.lastActivityAt),
          terminatingAt: dateOrNull(row.session.terminatingAt),
          heldSince: dateOrNull(row.session.heldSince),
          asksSince: dateOrNull(row.session.asksSince),
        };
  const status = decideChatStatus({
    session,
    row:
      row.row === null
        ? null
        : {
            ...row.row,
            createdAt: date(row.row.createdAt),
            startedAt: dateOrNull(row.row.startedAt),
            notBefore: dateOrNull(row.row.notBefore),
          },
    failure: row.failure === null ? null : { code: row.failure.code, at: date(row.failure.at) },
    isPerWork: row.isPerWork,
    coordinatorAlive: row.coordinatorAlive,
  });
  const idleAt =
    status.chatStatus === 'ready' && status.reason === undefined && session !== null
      ? new Date(session.lastActivityAt.getTime() + idleMs).toISOString()
      : undefined;
  return {
    chat: row.chat,
    task: row.task,
    chatStatus: status.chatStatus,
    ...(status.phase !== undefined && { phase: status.phase }),
    ...(status.reason !== undefined && { reason: status.reason }),
    ...(status.position !== undefined && { position: status.position }),
    ...(status.pullPercent !== undefined && { pullPercent: status.pullPercent }),
    ...(status.waitsForAgentId !== undefined && { waitsForAgentId: status.waitsForAgentId }),
    ...(status.waitsForTask !== undefined && { waitsForTask: status.waitsForTask }),
    since: (status.since ?? row.memberSince).toISOString(),
    ...(idleAt !== undefined && { idleAt }),
    ...(row.session !== null &&
      row.session.growing !== null && { growing: shape.growing.parse(row.session.growing) }),
    ...(row.session !== null &&
      row.session.usage !== null && { usage: shape.usage.parse(row.session.usage) }),
  };
}

function date(value: string | null): Date {
  return new Date(value ?? 0);
}

function dateOrNull(value: string | null): Date | null {
  return value === null ? null : new Date(value);
}

function toPurposeView(row: WakeUpRow): PendingPurposeView {
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
