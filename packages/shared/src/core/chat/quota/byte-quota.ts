import type { Tx } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { ServiceDeps } from '../../deps.ts';
import type { MembershipKey } from '../../rules/work-key.ts';
import { chatThreadId } from '../thread-id.ts';
import { addSaidBytesIfRoom } from './quota-queries.ts';

/*
 * The number of bytes that an agent may write in an hour of the clock (UTC): the lines of its messages in
 * chat.jsonl, its closing messages, the texts of its tasks, comments and contexts, and its steps, counted in the row of its chat. People have no
 * such quota: they write at most 4,000 characters at a time.
 */

/** Bytes per hour, 0: no quota. Read it before a transaction: it may need a connection of its own. */
export async function byteQuota({ settings }: Pick<ServiceDeps, 'settings'>): Promise<number> {
  return (await settings.current()).agentBytesPerHour;
}

/** @throws AppError quota_reached when the agent has written more; its transaction then stores nothing. */
export function requireWithinQuota(
  deps: QuotaDeps,
  membership: MembershipKey,
  said: { bytes: number; quota: number },
): void {
  if (said.quota > 0 && said.bytes > said.quota) throw quotaReached(deps, membership, { quota: said.quota });
}

/**
 * Counts a text that is not a message, if the quota has room for it; else counts nothing and returns false.
 * Locks the row of the agent's chat.
 */
export async function countTextIfRoom(
  deps: QuotaDeps,
  tx: Tx,
  membership: MembershipKey,
  { text, quota }: { text: string; quota: number },
): Promise<boolean> {
  const threadId = chatThreadId(membership.projectId, membership.agentId);
  const isCounted = await addSaidBytesIfRoom(tx.db, threadId, { bytes: Buffer.byteLength(text), quota });
  if (!isCounted) noteQuotaReached(deps, membership, quota);
  return isCounted;
}

type QuotaDeps = Pick<ServiceDeps, 'clock' | 'logger'>;

const HOUR_MS = 3_600_000;
/** For each logger the memberships that were reported in it, and the hour in which they were. */
const toldIn = new WeakMap<Logger, { hour: number; pairs: Set<string> }>();

/** The time at which an agent that has reached its quota can write again. */
export function quotaResumesAt({ clock }: Pick<ServiceDeps, 'clock'>): Date {
  return new Date((Math.floor(clock.now().getTime() / HOUR_MS) + 1) * HOUR_MS);
}

/**
 * The refusal, also written to the log. `failed`: messages of people that failed because of it
 * (quota-failure.ts).
 */
export function quotaReached(
  deps: QuotaDeps,
  membership: MembershipKey,
  { quota, failed = 0 }: { quota: number; failed?: number },
): AppError {
  noteQuotaReached(deps, membership, quota);
  const resumesAt = quotaResumesAt(deps);
  const messages =
    failed === 1 ? 'The message that you held has' : `The ${failed} messages that you held have`;
  return new AppError(
    'quota_reached',
    `You have written as much as an agent may in one hour (agentBytesPerHour: ${quota} bytes). Nothing was stored. ` +
      (failed > 0
        ? `${messages} failed with this reason; who sent them sees it and can send again. Call get_next_action.`
        : 'Write less, or wait for the next hour.'),
    {
      details: { resumesAt: resumesAt.toISOString(), failedMessages: failed },
      retryAfterSeconds: Math.max(1, Math.ceil((resumesAt.getTime() - deps.clock.now().getTime()) / 1_000)),
    },
  );
}

/** One line in the log, once an hour and membership. */
export function noteQuotaReached(
  { clock, logger }: QuotaDeps,
  membership: MembershipKey,
  quota: number,
): void {
  const hour = Math.floor(clock.now().getTime() / HOUR_MS);
  const told = toldIn.get(logger);
  const { pairs } = told?.hour === hour ? told : { pairs: new Set<string>() };
  toldIn.set(logger, { hour, pairs });
  const key = `${membership.projectId}/${membership.agentId}`;
  if (!pairs.has(key))
    logger.warn({ ...membership, agentBytesPerHour: quota }, 'an agent has reached its quota');
  pairs.add(key);
}
