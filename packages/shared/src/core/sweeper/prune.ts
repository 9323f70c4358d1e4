import { type LogKey, pruneLogBatch } from '../../platform/change-log/change-log.ts';
import type { Retention } from '../../platform/config/retention.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { FAILURES_KEPT_MS } from '../auth/sign-in-delay.ts';
import type { NewSweepStep, SweepStep } from '../sweep-step.ts';
import {
  type Forgotten,
  forgetApprovals,
  forgetAttachments,
  forgetAttachmentsOfDeleted,
  forgetAttention,
  forgetAudit,
  forgetChains,
  forgetChannels,
  forgetCommentMentions,
  forgetDiscardedAnswers,
  forgetDispatches,
  forgetInboxMarks,
  forgetMentions,
  forgetNotices,
  forgetNotifications,
  forgetProposals,
  forgetPurposeOutcomes,
  forgetQuestions,
  forgetRetrievals,
  forgetRuns,
  forgetSessions,
  forgetSignInCodes,
  forgetSignInFailures,
  forgetTaskTurns,
  forgetTickets,
  forgetTokens,
  forgetViewers,
  forgetVisionRequests,
} from './retention-queries.ts';

const HOUR_MS = 3_600_000;
/** Cursors of WebSockets are valid for 47 h (rest-api, log-cursor.ts). */
const LOG_KEPT_MS = 48 * HOUR_MS;
/** `includeRecent` of the contract. */
const OUTCOMES_KEPT_MS = HOUR_MS;
/** What was uploaded and never used; and what belonged to a project that was deleted. */
const UNUSED_FILES_KEPT_MS = 24 * HOUR_MS;
/** For those who look into what became of a message. */
const DISPATCHES_KEPT_MS = 7 * 24 * HOUR_MS;

const PRUNE_EVERY_MS = 10 * 60_000;
/** The rest continues with the next round, a second later. */
const ROUND_MS = 300;
/** Every reader of the change log waits while a batch runs. */
const MIN_BATCH_MS = 10;
const MAX_BATCH_MS = 40;
const SLOW_BATCH_MS = 250;
const FIRST_SIZE = 1_000;
const MIN_ROWS = 500;
const MAX_ROWS = 10_000;

interface Rule {
  readonly table: string;
  readonly keptMs: (retention: Retention) => number | null;
  /** At most `limit` rows of any one table, in short transactions. */
  readonly forget: (db: Queryable, before: Date, limit: number) => Promise<Forgotten>;
}

const RULES: readonly Rule[] = [
  { table: 'pending_purpose_outcomes', keptMs: () => OUTCOMES_KEPT_MS, forget: forgetPurposeOutcomes },
  { table: 'session_viewers', keptMs: ({ viewersMs }) => viewersMs, forget: forgetViewers },
  { table: 'sign_in_failures', keptMs: () => FAILURES_KEPT_MS, forget: forgetSignInFailures },
  { table: 'sign_in_codes', keptMs: ({ tokensMs }) => tokensMs, forget: forgetSignInCodes },
  { table: 'access_tokens', keptMs: ({ tokensMs }) => tokensMs, forget: forgetTokens },
  { table: 'launch_tickets', keptMs: ({ sessionsMs }) => sessionsMs, forget: forgetTickets },
  { table: 'agent_sessions', keptMs: ({ sessionsMs }) => sessionsMs, forget: forgetSessions },
  { table: 'growing_answers', keptMs: ({ sessionsMs }) => sessionsMs, forget: forgetDiscardedAnswers },
  { table: 'growing_answers', keptMs: ({ runsMs }) => runsMs, forget: forgetTaskTurns },
  { table: 'agent_runs', keptMs: ({ runsMs }) => runsMs, forget: forgetRuns },
  { table: 'conversation_notices', keptMs: (kept) => kept.conversationsMs, forget: forgetNotices },
  { table: 'conversation_chains', keptMs: (kept) => kept.conversationsMs, forget: forgetChains },
  { table: 'approvals', keptMs: ({ cardsMs }) => cardsMs, forget: forgetApprovals },
  { table: 'task_proposals', keptMs: ({ cardsMs }) => cardsMs, forget: forgetProposals },
  { table: 'user_questions', keptMs: ({ cardsMs }) => cardsMs, forget: forgetQuestions },
  { table: 'inbox_marks', keptMs: ({ cardsMs }) => cardsMs, forget: forgetInboxMarks },
  { table: 'mentions', keptMs: ({ cardsMs }) => cardsMs, forget: forgetMentions },
  { table: 'comment_mentions', keptMs: ({ cardsMs }) => cardsMs, forget: forgetCommentMentions },
  { table: 'notifications', keptMs: ({ cardsMs }) => cardsMs, forget: forgetNotifications },
  { table: 'notification_dispatches', keptMs: () => DISPATCHES_KEPT_MS, forget: forgetDispatches },
  { table: 'notification_channels', keptMs: () => OUTCOMES_KEPT_MS, forget: forgetChannels },
  { table: 'person_attention', keptMs: () => OUTCOMES_KEPT_MS, forget: forgetAttention },
  { table: 'audit_entries', keptMs: ({ auditMs }) => auditMs, forget: forgetAudit },
  { table: 'attachments', keptMs: () => UNUSED_FILES_KEPT_MS, forget: forgetAttachments },
  { table: 'attachments', keptMs: () => UNUSED_FILES_KEPT_MS, forget: forgetAttachmentsOfDeleted },
  { table: 'vision_requests', keptMs: () => OUTCOMES_KEPT_MS, forget: forgetVisionRequests },
  { table: 'retrieval_runs', keptMs: ({ retrievalsMs }) => retrievalsMs, forget: forgetRetrievals },
];

/** A rule, and its batch size: as many rows as can be deleted in some milliseconds on the current disk. */
class Pruning {
  readonly rule: Rule;
  size = FIRST_SIZE;

  constructor(rule: Rule) {
    this.rule = rule;
  }

  paceBy(tookMs: number): void {
    // The batch is small only because a larger one did not finish: a batch has a cost of its own, so the size
    // grows again with care.
    if (this.size < MIN_ROWS) {
      if (tookMs < SLOW_BATCH_MS) this.size = Math.min(MIN_ROWS, this.size * 2);
    } else if (tookMs > MAX_BATCH_MS) this.size = Math.max(MIN_ROWS, Math.floor(this.size / 2));
    else if (tookMs < MIN_BATCH_MS) this.size = Math.min(MAX_ROWS, this.size * 2);
  }

  /** It did not finish in time. */
  slowDown(): void {
    this.size = Math.max(1, Math.floor(this.size / 8));
  }
}

/**
 * Deletes rows whose retention is over, every ten minutes. A table is never pruned completely in one step:
 * each table in turn gives a batch, until the time of the round is used up; the next round continues (trap
 * 25).
 */
export const prune: NewSweepStep = () => pruning(ROUND_MS);

/** With another duration of a round; with unlimited time a round that returns 0 has read everything. */
export function pruning(roundMs: number): SweepStep {
  const all = [logRule(), ...RULES].map((rule) => new Pruning(rule));
  let left = [...all];
  let isMore = false;
  let dueAt = 0;
  return async ({ deps }, attempt) => {
    const now = deps.clock.now().getTime();
    if (now < dueAt) return 0;
    const until = performance.now() + roundMs;
    let count = 0;
    while (performance.now() < until) {
      const next = left.shift();
      if (next === undefined) break;
      const keptMs = next.rule.keptMs(deps.config.retention);
      if (keptMs === null) continue;
      const startedAt = performance.now();
      const isDone = await attempt(next.rule.table, async () => {
        const did = await next.rule.forget(deps.database.db, new Date(now - keptMs), next.size);
        count += did.gone;
        isMore ||= did.isMore;
        if (did.isMore) left.push(next);
        return true;
      });
      if (isDone) next.paceBy(performance.now() - startedAt);
      else {
        next.slowDown();
        isMore = true;
      }
    }
    if (left.length > 0) return count;
    // Deleted rows of one table may make rows of another deletable: it is over when a whole pass found
    // little.
    if (!isMore) dueAt = now + PRUNE_EVERY_MS;
    left = [...all];
    isMore = false;
    return count;
  };
}

/** Continues after what it has deleted: until a vacuum the front of the index holds only dead entries. */
function logRule(): Rule {
  let after: LogKey | null = null;
  return {
    table: 'change_log',
    keptMs: () => LOG_KEPT_MS,
    async forget(db, before, limit) {
      const batch = await pruneLogBatch(db, { before, after, limit });
      after = batch.after ?? after;
      return { gone: batch.deleted, isMore: batch.after !== null };
    },
  };
}
