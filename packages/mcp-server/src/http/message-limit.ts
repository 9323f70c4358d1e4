import { AppError } from '@aizuchi/shared/platform/errors';
import { hashToken, sameSecret } from '@aizuchi/shared/platform/token-hash';
import type { Exchange } from '../exchange.ts';
import type { ToolContext } from '../tool-context.ts';
import { isToolName } from '../tool-registry.ts';

/**
 * The number of messages in one body. Only clients of the oldest revision (2025-03-26) send more than one.
 */
const MAX_BATCH = 20;

export const BATCH_TOO_LARGE = {
  jsonrpc: '2.0',
  error: { code: -32600, message: `Invalid Request: a batch must not exceed ${MAX_BATCH} messages` },
  id: null,
};

export function isBatchTooLarge(body: unknown): boolean {
  return Array.isArray(body) && body.length > MAX_BATCH;
}

/**
 * Counts each message that no tool counts (initialize, tools/list, unknown methods) for the session or ticket
 * of its bearer, or without one for the address: the list of tools has 60 kB and is public. These messages
 * have their own buckets, so that a handshake of a client takes nothing from its calls. @throws AppError
 * rate_limited
 */
export async function limitMessages(
  body: unknown,
  { context, exchange }: { context: ToolContext; exchange: Exchange },
): Promise<void> {
  const count = (Array.isArray(body) ? body : [body]).filter(isUncounted).length;
  if (count === 0) return;
  const caller = await callerOf(context, exchange);
  if (caller === undefined) return;
  const retryAfterSeconds = context.limiter.take(`messages:${caller}`, count);
  if (retryAfterSeconds === undefined) return;
  throw new AppError('rate_limited', 'Too many requests. Wait, then send it again.', { retryAfterSeconds });
}

/** A request that runs no tool. Notifications and responses are not answered. */
function isUncounted(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false;
  if (!('method' in message) || !('id' in message)) return false;
  return message.method !== 'tools/call' || !namesTool(message);
}

function namesTool(message: object): boolean {
  const params: unknown = Reflect.get(message, 'params');
  const name: unknown =
    typeof params === 'object' && params !== null ? Reflect.get(params, 'name') : undefined;
  return typeof name === 'string' && isToolName(name);
}

/**
 * undefined: a Coordinator, which is not counted. A caller that cannot be identified because the database is
 * away is counted by its address.
 */
async function callerOf(context: ToolContext, { bearer, address }: Exchange): Promise<string | undefined> {
  if (bearer === undefined) return `address:${address}`;
  if (sameSecret(bearer, context.coordinatorToken)) return undefined;
  const isKnown = await context.questions.mayAsk(bearer).then(
    (answer) => answer !== null,
    () => false,
  );
  return isKnown ? hashToken(bearer) : `address:${address}`;
}
