import { type RawEnv, readEnv } from './env.ts';

/** How long finished rows are kept, in milliseconds; null: without limit. */
export interface Retention {
  /** Ended sessions, with the results of their keyed calls and their tickets. */
  readonly sessionsMs: number;
  /** Exited runs. */
  readonly runsMs: number;
  /** Sign-ins and API tokens that were revoked or ran out; codes of sign-in links. */
  readonly tokensMs: number;
  /** Notices of conversations that are over, and the counts of their chains. */
  readonly conversationsMs: number;
  /** Questions and approvals since they were resolved. */
  readonly cardsMs: number;
  /** Panels whose lease ran out. */
  readonly viewersMs: number;
  readonly auditMs: number | null;
  /** What searches of memories looked for, found and used. */
  readonly retrievalsMs: number;
  /** How much the files of one project may take up together. */
  readonly attachmentBytes: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Throws ExitError (configuration) for a bad value. */
export function retentionFromEnv(raw: RawEnv = process.env): Retention {
  const env = readEnv(raw, [
    'RETENTION_SESSIONS_DAYS',
    'RETENTION_RUNS_DAYS',
    'RETENTION_TOKENS_DAYS',
    'RETENTION_CONVERSATIONS_DAYS',
    'RETENTION_CARDS_DAYS',
    'RETENTION_VIEWERS_HOURS',
    'RETENTION_AUDIT_DAYS',
    'RETENTION_RETRIEVALS_DAYS',
    'ATTACHMENTS_PER_PROJECT_MB',
  ]);
  const auditDays = env.RETENTION_AUDIT_DAYS ?? 365;
  return {
    sessionsMs: (env.RETENTION_SESSIONS_DAYS ?? 7) * DAY_MS,
    runsMs: (env.RETENTION_RUNS_DAYS ?? 30) * DAY_MS,
    tokensMs: (env.RETENTION_TOKENS_DAYS ?? 30) * DAY_MS,
    conversationsMs: (env.RETENTION_CONVERSATIONS_DAYS ?? 30) * DAY_MS,
    cardsMs: (env.RETENTION_CARDS_DAYS ?? 90) * DAY_MS,
    viewersMs: (env.RETENTION_VIEWERS_HOURS ?? 24) * HOUR_MS,
    auditMs: auditDays === 0 ? null : auditDays * DAY_MS,
    retrievalsMs: (env.RETENTION_RETRIEVALS_DAYS ?? 30) * DAY_MS,
    attachmentBytes: (env.ATTACHMENTS_PER_PROJECT_MB ?? 1_000) * 1_000_000,
  };
}
