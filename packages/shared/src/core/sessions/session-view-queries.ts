import type { Database } from '../../platform/db/database.ts';
import type { ConversationTimes } from '../conversations/rules/conversation-machine.ts';
import type { ConversationNotice, SessionView } from './rules/next-action.ts';
import { sessionStateSchema, toEnd } from './session-queries.ts';
import {
  conversationDueSql,
  HELD_SQL,
  heldAgainSql,
  LIVE_CONVERSATION_SQL,
  NOTICE_FOR_SESSION_SQL,
  UNREAD_SQL,
} from './session-work.ts';

export type IdentifiedSessionView = SessionView & { readonly id: string };

/**
 * One prepared statement with exactly the facts that the rule needs: it is on the path of every message to
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
    state: sessionStateSchema.parse(row.state),
    end: toEnd(row.exit_action, row.exit_reason),
    lastActivityAt: row.last_activity_at,
    work: {
      unread: row.unread,
      held: row.held,
      openQuestion: row.open_question,
      liveConversation: row.live_conversation,
      unacknowledgedEnd: row.notice !== null && row.notice.kind !== 'request',
    },
    heldAgain: row.held_again,
    resolvedQuestion: row.resolved_question,
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
  state: string;
  exit_action: string | null;
  exit_reason: string | null;
  last_activity_at: Date;
  unread: boolean;
  held: boolean;
  held_again: boolean;
  open_question: boolean;
  resolved_question: string | null;
  live_conversation: boolean;
  conversation_due: boolean;
  notice: ConversationNotice | null;
}

const DUE = conversationDueSql('$2::timestamptz', '$3::timestamptz');

const HELD_AGAIN = heldAgainSql('$4::timestamptz');

const SESSION_VIEWS = `
  select s.id, s.state, s.exit_action, s.exit_reason, s.last_activity_at,
    ${UNREAD_SQL} as unread, ${HELD_SQL} as held, ${HELD_AGAIN} as held_again, ${LIVE_CONVERSATION_SQL} as live_conversation,
    exists (select from user_questions q
      where q.session_id = s.id and q.acknowledged_at is null and q.state = 'pending') as open_question,
    (select q.tool_use_id from user_questions q
      where q.session_id = s.id and q.acknowledged_at is null and q.state <> 'pending'
      order by q.resolved_at, q.seq limit 1) as resolved_question,
    ${DUE} as conversation_due,
    (select jsonb_build_object('kind', n.kind, 'conversationId', n.conversation_id) from conversation_notices n
      where ${NOTICE_FOR_SESSION_SQL} order by n.kind = 'request', n.created_at limit 1) as notice
  from agent_sessions s where s.id = any((select $1::text[])::text[])`;

/**
 * Runs every few seconds for all waiting sessions, mostly without a result: each kind of news is first
 * searched for once for all, and by session only where there is some.
 */
const SESSIONS_WITH_NEWS = `
  select s.id from agent_sessions s where s.id = any((select $1::text[])::text[]) and (s.state <> 'active'
    or ((select exists (select from chat_messages where state = 'stored' and deliver_to is not null)) and ${UNREAD_SQL})
    or ((select exists (select from chat_messages where state = 'delivered')) and ${HELD_AGAIN}
      and not exists (select from user_questions q
        where q.session_id = s.id and q.acknowledged_at is null and q.state = 'pending'))
    or ((select exists (select from conversation_notices where acknowledged_at is null and gone_at is null))
      and exists (select from conversation_notices n where ${NOTICE_FOR_SESSION_SQL}))
    or ((select exists (select from conversations where state in ('pending', 'active'))) and ${DUE})
    or ((select exists (select from user_questions where acknowledged_at is null and state <> 'pending'))
      and exists (select from user_questions q
        where q.session_id = s.id and q.acknowledged_at is null and q.state <> 'pending')))`;
