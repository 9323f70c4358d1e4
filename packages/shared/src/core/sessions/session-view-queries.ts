import type { Database } from '../../platform/db/database.ts';
import type { ConversationTimes } from '../conversations/rules/conversation-machine.ts';
import { overLimitSql } from '../usage/daily-limit-queries.ts';
import type { ConversationNotice, ResolvedCard, SessionView } from './rules/next-action.ts';
import { sessionStateSchema, toEnd } from './session-record.ts';
import {
  ASKS_PERSON_SQL,
  CARDS_OF_SESSION_SQL,
  conversationDueSql,
  HAS_RESOLVED_CARD_SQL,
  HAS_TASK_SQL,
  HELD_OR_TASK_SQL,
  heldAgainSql,
  LIVE_CONVERSATION_SQL,
  NOTICE_FOR_SESSION_SQL,
  TASK_UNTOLD_SQL,
  UNREAD_SQL,
} from './session-work.ts';

export interface IdentifiedSessionView extends SessionView {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  /** Its agent works in the folder of the project, and shares it (folder-waits.ts). */
  readonly sharesFolder: boolean;
  /** The agent for which its messages waited when it was last looked at. */
  readonly folderWaitFor: string | null;
}

/**
 * Without the folder (folder-waits.ts). One prepared statement with exactly the facts that the rule needs: it is on the path of every message to
 * its agent. A subquery hides the length of the list from Postgres, which would otherwise plan anew for each
 * length, and planning takes longer than reading.
 */
export async function readSessionViews(
  database: Database,
  sessionIds: readonly string[],
  times: ConversationTimes & { now: Date },
): Promise<IdentifiedSessionView[]> {
  const rows = await database.statement<ViewRow>({
    name: 'session-views',
    text: SESSION_VIEWS,
    values: [sessionIds, ...momentsOf(times)],
  });
  return rows.map((row) => ({
    id: row.id,
    projectId: row.project_id,
    agentId: row.agent_id,
    sharesFolder: row.shares_folder,
    folderWaitFor: row.folder_wait_for,
    withheldIn: null,
    state: sessionStateSchema.parse(row.state),
    end: toEnd(row.exit_action, row.exit_reason),
    lastActivityAt: row.last_activity_at,
    work: {
      unread: row.unread,
      held: row.held,
      openCard: row.asks_person,
      liveConversation: row.live_conversation,
      unacknowledgedEnd: row.notice !== null && row.notice.kind !== 'request',
    },
    heldAgain: row.held_again,
    tokenLimit: row.over_limit ? 'reached' : null,
    resolvedCard: row.resolved_card,
    hasTask: row.has_task,
    usesReceipts: row.uses_receipts,
    taskToTell: row.task_to_tell,
    conversationDue: row.conversation_due,
    notice: row.notice,
  }));
}

/**
 * Those of these sessions that may have a next action other than wait; used by the slow poll of held calls.
 */
export async function readSessionsWithNews(
  database: Database,
  sessionIds: readonly string[],
  times: ConversationTimes & { now: Date },
): Promise<string[]> {
  const rows = await database.statement<{ id: string }>({
    name: 'sessions-with-news',
    text: SESSIONS_WITH_NEWS,
    values: [sessionIds, ...momentsOf(times)],
  });
  return rows.map(({ id }) => id);
}

function momentsOf({
  now,
  pendingTimeoutMs,
  timeoutMs,
}: ConversationTimes & { now: Date }): [Date, Date, Date] {
  return [new Date(now.getTime() - pendingTimeoutMs), new Date(now.getTime() - timeoutMs), now];
}

interface ViewRow {
  id: string;
  project_id: string;
  agent_id: string;
  shares_folder: boolean;
  folder_wait_for: string | null;
  state: string;
  exit_action: string | null;
  exit_reason: string | null;
  last_activity_at: Date;
  unread: boolean;
  held: boolean;
  held_again: boolean;
  over_limit: boolean;
  asks_person: boolean;
  resolved_card: ResolvedCard | null;
  has_task: boolean;
  uses_receipts: boolean;
  task_to_tell: string | null;
  live_conversation: boolean;
  conversation_due: boolean;
  notice: ConversationNotice | null;
}

const DUE = conversationDueSql('$2::timestamptz', '$3::timestamptz');

const HELD_AGAIN = heldAgainSql('$4::timestamptz');

const SESSION_VIEWS = `
  select s.id, ${HAS_TASK_SQL} as has_task, s.uses_receipts, case when ${TASK_UNTOLD_SQL} then s.task_id end as task_to_tell, s.project_id, s.agent_id, s.shares_folder, s.folder_wait_for, s.state, s.exit_action, s.exit_reason, s.last_activity_at,
    ${UNREAD_SQL} as unread, ${HELD_OR_TASK_SQL} as held, ${HELD_AGAIN} as held_again, ${LIVE_CONVERSATION_SQL} as live_conversation,
    coalesce(c.asks_person, false) as asks_person, c.resolved_card,
    ${DUE} as conversation_due, ${overLimitSql('s.agent_id', '$4::timestamptz')} as over_limit,
    (select jsonb_build_object('kind', n.kind, 'conversationId', n.conversation_id) from conversation_notices n
      where ${NOTICE_FOR_SESSION_SQL} order by n.kind = 'request', n.created_at, n.conversation_id limit 1) as notice
  from agent_sessions s cross join lateral ${CARDS_OF_SESSION_SQL} c
  where s.id = any((select $1::text[])::text[])`;

/**
 * Runs every few seconds for all waiting sessions, mostly without a result: each kind of news is first
 * searched for once for all, and by session only where there is some.
 */
const SESSIONS_WITH_NEWS = `
  select s.id from agent_sessions s where s.id = any((select $1::text[])::text[]) and (s.state <> 'active'
    or ((select exists (select from chat_messages where state = 'stored' and deliver_to is not null)) and ${UNREAD_SQL})
    or ((select exists (select from chat_messages where state = 'delivered')) and ${HELD_AGAIN}
      and not ${ASKS_PERSON_SQL})
    or ((select exists (select from conversation_notices where acknowledged_at is null and gone_at is null))
      and exists (select from conversation_notices n where ${NOTICE_FOR_SESSION_SQL}))
    or ((select exists (select from conversations where state in ('pending', 'active'))) and ${DUE})
    or ${TASK_UNTOLD_SQL} or ${HAS_RESOLVED_CARD_SQL})`;
