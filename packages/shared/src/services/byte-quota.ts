import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { addSaidBytes } from '../db/repositories/said-bytes.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { chatThreadId } from './chat-transaction.ts';
import type { ServiceDeps } from './deps.ts';

/*
 * How much an agent may write in an hour of the clock (UTC): the lines of its messages in chat.jsonl and its closing
 * lines, counted in the row of its chat. People have no such quota: they write 4,000 characters at a time.
 */

type Pair = { projectId: string; agentId: string };

/** @throws AppError rate_limited when the agent has written more; its transaction stores nothing then. */
export async function requireWithinQuota(deps: QuotaDeps, pair: Pair, saidBytes: number): Promise<void> {
  const { agentBytesPerHour } = await deps.settings.current();
  if (agentBytesPerHour > 0 && saidBytes > agentBytesPerHour)
    throw quotaReached(deps, pair, agentBytesPerHour);
}

/** Counts a text that is no message. Locks the row of the agent's chat. @throws AppError rate_limited */
export async function countText(deps: QuotaDeps, tx: Tx, pair: Pair, text: string): Promise<void> {
  const bytes = sql`${Buffer.byteLength(text)}::bigint`;
  const { rows } = await sql<{ saidBytes: number }>`
    update chat_threads t set ${addSaidBytes(bytes)} where t.id = ${chatThreadId(pair.projectId, pair.agentId)}
    returning t.said_bytes`.execute(tx.db);
  await requireWithinQuota(deps, pair, rows[0]?.saidBytes ?? 0);
}

type QuotaDeps = Pick<ServiceDeps, 'settings' | 'clock' | 'logger'>;

const HOUR_MS = 3_600_000;
/** In which hour which agents were told of in the log. */
const toldIn = new WeakMap<Logger, { hour: number; pairs: Set<string> }>();

export function quotaReached({ clock, logger }: QuotaDeps, pair: Pair, quota: number): AppError {
  const now = clock.now().getTime();
  const hour = Math.floor(now / HOUR_MS);
  const told = toldIn.get(logger);
  const { pairs } = told?.hour === hour ? told : { pairs: new Set<string>() };
  toldIn.set(logger, { hour, pairs });
  const key = `${pair.projectId}/${pair.agentId}`;
  if (!pairs.has(key)) logger.warn({ ...pair, agentBytesPerHour: quota }, 'an agent has reached its quota');
  pairs.add(key);
  return new AppError(
    'rate_limited',
    `You have written as much as an agent may in one hour (agentBytesPerHour: ${quota} bytes). Nothing was stored. Write less, or wait for the next hour.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(((hour + 1) * HOUR_MS - now) / 1_000)) },
  );
}
