import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { ASKS_PERSON_SQL } from '../sessions/session-work.ts';

/*
 * Deletes what is over: each function deletes at most `limit` rows of its table that are over since before a
 * time, the oldest first and found by an index, in one statement that is a transaction of its own. Locked
 * rows are left for the next time.
 */
type Forget = (db: Queryable, before: Date, limit: number) => Promise<Forgotten>;

export interface Forgotten {
  readonly gone: number;
  readonly isMore: boolean;
}

/** `from` selects ctid of `table` in its order, without limit; `of` is the alias of the table there. */
async function forget(
  db: Queryable,
  table: string,
  of: { from: RawBuilder<unknown>; alias: string; limit: number },
): Promise<Forgotten> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      ${of.from} limit ${of.limit} for update of ${sql.ref(of.alias)} skip locked))`.execute(db);
  const gone = Number(numAffectedRows ?? 0);
  return { gone, isMore: gone === of.limit };
}

/** A session is over, and no waiting row names it: then it is not read again. */
const ENDED = (before: Date) => sql`s.state = 'ended' and s.ended_at < ${before}
  and not exists (select from chat_messages m where m.delivered_session_id = s.id and m.state = 'delivered')
  and not ${sql.raw(ASKS_PERSON_SQL)}`;

/**
 * First the rows that reference the oldest sessions, then those sessions that nothing references any more. An
 * idempotency key is answered as long as its session may call, and is deleted with it.
 */
export const forgetSessions: Forget = async (db, before, limit) => {
  const results = await forget(db, 'idempotent_results', {
    from: sql`select r.ctid from (select s.id from agent_sessions s where ${ENDED(before)}
      order by s.ended_at, s.id limit ${limit}) old join idempotent_results r on r.session_id = old.id`,
    alias: 'r',
    limit,
  });
  const tickets = await forget(db, 'launch_tickets', {
    from: sql`select t.ctid from (select s.id from agent_sessions s where ${ENDED(before)}
      order by s.ended_at, s.id limit ${limit}) old join launch_tickets t on t.session_id = old.id`,
    alias: 't',
    limit,
  });
  const batches = await forget(db, 'delivery_batches', {
    from: sql`select b.ctid from (select s.id from agent_sessions s where ${ENDED(before)}
      order by s.ended_at, s.id limit ${limit}) old join delivery_batches b on b.session_id = old.id`,
    alias: 'b',
    limit,
  });
  const usage = await forget(db, 'session_usage', {
    from: sql`select u.ctid from (select s.id from agent_sessions s where ${ENDED(before)}
      order by s.ended_at, s.id limit ${limit}) old join session_usage u on u.session_id = old.id`,
    alias: 'u',
    limit,
  });
  const sessions = await forget(db, 'agent_sessions', {
    from: sql`select s.ctid from agent_sessions s where ${ENDED(before)}
      and not exists (select from idempotent_results r where r.session_id = s.id)
      and not exists (select from launch_tickets t where t.session_id = s.id)
      and not exists (select from delivery_batches b where b.session_id = s.id)
      and not exists (select from session_usage u where u.session_id = s.id)
      order by s.ended_at, s.id`,
    alias: 's',
    limit,
  });
  const parts = [results, tickets, batches, usage, sessions];
  return {
    gone: parts.reduce((sum, { gone }) => sum + gone, 0),
    isMore: parts.some(({ isMore }) => isMore),
  };
};

/** Steps of answers that became no message, then those answers of which no step is left. */
export const forgetDiscardedAnswers: Forget = forgetGrowth('task_id is null');

/** The same of turns at tasks: they stay as long as the logs of their runs. */
export const forgetTaskTurns: Forget = forgetGrowth('task_id is not null');

function forgetGrowth(condition: string): Forget {
  const which = sql.raw(`g.${condition}`);
  return async (db, before, limit) => {
    const steps = await forget(db, 'message_steps', {
      from: sql`select s.ctid from (select g.message_id from growing_answers g
        where g.discarded_at < ${before} and ${which}
        order by g.discarded_at limit ${limit}) old join message_steps s on s.message_id = old.message_id`,
      alias: 's',
      limit,
    });
    const answers = await forget(db, 'growing_answers', {
      from: sql`select g.ctid from growing_answers g where g.discarded_at < ${before} and ${which}
        and not exists (select from message_steps s where s.message_id = g.message_id) order by g.discarded_at`,
      alias: 'g',
      limit,
    });
    return { gone: steps.gone + answers.gone, isMore: steps.isMore || answers.isMore };
  };
}

/** Those without a session; the others are deleted with their sessions. */
export const forgetTickets: Forget = (db, before, limit) =>
  forget(db, 'launch_tickets', {
    from: sql`select t.ctid from launch_tickets t
      where t.revoked_at < ${before} and t.session_id is null order by t.revoked_at`,
    alias: 't',
    limit,
  });

/**
 * A run that its host listed lately, although it was given up, is still asked to end. One whose worktree waits for a
 * decision stays; the row of any other worktree goes with its run.
 */
export const forgetRuns: Forget = (db, before, limit) =>
  forget(db, 'agent_runs', {
    from: sql`select r.ctid from agent_runs r where r.state = 'exited' and r.ended_at < ${before}
      and (r.stop_requested_at is null or r.stop_requested_at < ${before})
      and not exists (select from agent_sessions s where s.run_id = r.id)
      and not exists (select from launch_tickets t where t.run_id = r.id)
      and not exists (select from pending_agent_purposes p where p.run_id = r.id)
      and not exists (select from worktrees w where w.run_id = r.id and w.state in ('created', 'conflict'))
      order by r.ended_at, r.id`,
    alias: 'r',
    limit,
  });

export const forgetTokens: Forget = (db, before, limit) =>
  forget(db, 'access_tokens', {
    from: sql`select t.ctid from access_tokens t
      where (t.revoked_at is not null or t.expires_at is not null) and least(t.revoked_at, t.expires_at) < ${before}
      order by least(t.revoked_at, t.expires_at)`,
    alias: 't',
    limit,
  });

export const forgetSignInCodes: Forget = (db, before, limit) =>
  forget(db, 'sign_in_codes', {
    from: sql`select c.ctid from sign_in_codes c where c.expires_at < ${before} order by c.expires_at`,
    alias: 'c',
    limit,
  });

/** A file has up to 5 MB: few go at once. */
const FILES_AT_ONCE = 50;

/** Uploaded, and never used. Their bytes go with them. */
export const forgetAttachments: Forget = (db, before, limit) =>
  forget(db, 'attachments', {
    from: sql`select a.ctid from attachments a
      where a.message_id is null and a.task_id is null and a.created_at < ${before} order by a.created_at`,
    alias: 'a',
    limit: Math.min(limit, FILES_AT_ONCE),
  });

/** What nobody can see any more: the files of projects that were deleted. */
export const forgetAttachmentsOfDeleted: Forget = (db, before, limit) =>
  forget(db, 'attachments', {
    from: sql`select a.ctid from projects p join attachments a on a.project_id = p.id where p.deleted_at < ${before}`,
    alias: 'a',
    limit: Math.min(limit, FILES_AT_ONCE),
  });

export const forgetInboxMarks: Forget = (db, before, limit) =>
  forget(db, 'inbox_marks', {
    from: sql`select k.ctid from inbox_marks k where k.put_away_at < ${before} order by k.put_away_at`,
    alias: 'k',
    limit,
  });

export const forgetMentions: Forget = (db, before, limit) =>
  forget(db, 'mentions', {
    from: sql`select n.ctid from mentions n where n.created_at < ${before} order by n.created_at`,
    alias: 'n',
    limit,
  });

export const forgetCommentMentions: Forget = (db, before, limit) =>
  forget(db, 'comment_mentions', {
    from: sql`select n.ctid from comment_mentions n where n.created_at < ${before} order by n.created_at`,
    alias: 'n',
    limit,
  });

export const forgetNotifications: Forget = (db, before, limit) =>
  forget(db, 'notifications', {
    from: sql`select n.ctid from notifications n where n.state = 'over' and n.over_at < ${before} order by n.over_at`,
    alias: 'n',
    limit,
  });

export const forgetDispatches: Forget = (db, before, limit) =>
  forget(db, 'notification_dispatches', {
    from: sql`select d.ctid from notification_dispatches d
      where d.state <> 'pending' and d.done_at < ${before} order by d.done_at`,
    alias: 'd',
    limit,
  });

/** Of people who were deleted, and of browsers whose sign-in is forgotten. */
export const forgetChannels: Forget = (db, before, limit) =>
  forget(db, 'notification_channels', {
    from: sql`select c.ctid from notification_channels c where c.created_at < ${before} and (
        exists (select from agents a where a.id = c.human_id and a.deleted_at is not null)
        or (c.token_hash is not null and not exists (select from access_tokens t where t.token_hash = c.token_hash)))
      order by c.id`,
    alias: 'c',
    limit,
  });

export const forgetAttention: Forget = (db, before, limit) =>
  forget(db, 'person_attention', {
    from: sql`select p.ctid from person_attention p where p.until < ${before} order by p.until`,
    alias: 'p',
    limit,
  });

export const forgetSignInFailures: Forget = (db, before, limit) =>
  forget(db, 'sign_in_failures', {
    from: sql`select f.ctid from sign_in_failures f where f.last_failed_at < ${before} order by f.last_failed_at`,
    alias: 'f',
    limit,
  });

/**
 * Those of a live conversation are kept: whether its request was acknowledged decides whether a session
 * resumes it.
 */
export const forgetNotices: Forget = (db, before, limit) =>
  forget(db, 'conversation_notices', {
    from: sql`select n.ctid from conversation_notices n
      join conversations c on c.id = n.conversation_id and c.state in ('ended', 'expired') and c.ended_at < ${before}
      where (n.acknowledged_at is not null or n.gone_at is not null) and n.created_at < ${before} order by n.created_at`,
    alias: 'n',
    limit,
  });

/** It has no messages, no live conversation, and no open card that asks whether it may continue. */
export const forgetChains: Forget = (db, before, limit) =>
  forget(db, 'conversation_chains', {
    from: sql`select h.ctid from conversation_chains h where h.created_at < ${before}
      and not exists (select from conversations c where c.chain_id = h.id and c.ended_at >= ${before})
      and not exists (select from conversations c
        where c.chain_id = h.id and c.state in ('pending', 'active', 'terminating'))
      and not exists (select from agent_sessions s where s.chain_id = h.id and s.state <> 'ended')
      and not exists (select from user_questions q where q.about = 'chain:' || h.id and q.state = 'pending')
      order by h.created_at`,
    alias: 'h',
    limit,
  });

/** A card is read again by the calls of its session, as long as that may call. */
const OVER = (before: Date) => sql`q.resolved_at < ${before}
  and not exists (select from agent_sessions s where s.id = q.session_id and s.state <> 'ended')`;

export const forgetApprovals: Forget = (db, before, limit) =>
  forget(db, 'approvals', {
    from: sql`select q.ctid from approvals q where ${OVER(before)} order by q.resolved_at`,
    alias: 'q',
    limit,
  });

export const forgetProposals: Forget = (db, before, limit) =>
  forget(db, 'task_proposals', {
    from: sql`select q.ctid from task_proposals q where q.resolved_at < ${before} order by q.resolved_at`,
    alias: 'q',
    limit,
  });

/**
 * Those that follow another one are deleted before it. What people said about a chain counts as long as there is the
 * chain.
 */
export const forgetQuestions: Forget = (db, before, limit) =>
  forget(db, 'user_questions', {
    from: sql`select q.ctid from user_questions q where ${OVER(before)}
      and not exists (select from user_questions f where f.follows = q.tool_use_id)
      and not exists (select from conversation_chains h where q.about = 'chain:' || h.id)
      order by q.resolved_at`,
    alias: 'q',
    limit,
  });

export const forgetRetrievals: Forget = (db, before, limit) =>
  forget(db, 'retrieval_runs', {
    from: sql`select r.ctid from retrieval_runs r where r.created_at < ${before} order by r.created_at`,
    alias: 'r',
    limit,
  });

/** Long over, also for the session that asked. */
export const forgetVisionRequests: Forget = (db, before, limit) =>
  forget(db, 'vision_requests', {
    from: sql`select v.ctid from vision_requests v where v.expires_at < ${before}
      and (v.claimed_until is null or v.claimed_until < ${before}) order by v.expires_at`,
    alias: 'v',
    limit,
  });

export const forgetPurposeOutcomes: Forget = (db, before, limit) =>
  forget(db, 'pending_purpose_outcomes', {
    from: sql`select o.ctid from pending_purpose_outcomes o where o.removed_at < ${before} order by o.removed_at`,
    alias: 'o',
    limit,
  });

/** Viewers whose lease is not renewed any more. */
export const forgetViewers: Forget = (db, before, limit) =>
  forget(db, 'session_viewers', {
    from: sql`select v.ctid from session_viewers v where v.lease_until < ${before} order by v.lease_until`,
    alias: 'v',
    limit,
  });

export const forgetAudit: Forget = (db, before, limit) =>
  forget(db, 'audit_entries', {
    from: sql`select a.ctid from audit_entries a where a.at < ${before} order by a.at`,
    alias: 'a',
    limit,
  });
