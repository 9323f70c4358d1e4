/**
 * Where a client stands in the log, as an opaque text. Text order is log order: batches come with a rising `to`,
 * entries of a batch with a rising id.
 *
 * The client has everything of transactions below `from`, and of those from `from` up to `to` the entries up to
 * `afterId`. `at` is when `from` was the horizon: what it lacks is not older than that, so its age says whether
 * the log still holds it.
 */
export interface LogCursor {
  readonly from: string;
  readonly to: string;
  readonly afterId: number;
  readonly at: number;
}

/** The log is kept 48 h (domain.md); an hour is left for clocks that differ and transactions that take long. */
const USABLE_MS = 47 * 3_600_000;

const XID_DIGITS = 20;
const ID_DIGITS = 16;
const CURSOR = /^(\d{20})(\d{16})(\d{20})([0-9a-z]{9})$/;

export function encodeCursor({ from, to, afterId, at }: LogCursor): string {
  const xid = (value: string) => value.padStart(XID_DIGITS, '0');
  return `${xid(to)}${String(afterId).padStart(ID_DIGITS, '0')}${xid(from)}${at.toString(36).padStart(9, '0')}`;
}

/** Undefined: not one of ours, or older than the log. */
export function decodeCursor(text: string, now: number): LogCursor | undefined {
  const match = CURSOR.exec(text);
  if (!match) return undefined;
  const [, to = '', id = '', from = '', at = ''] = match;
  const cursor = { to: plain(to), afterId: Number(id), from: plain(from), at: Number.parseInt(at, 36) };
  const isConsistent = BigInt(from) <= BigInt(to) && Number.isSafeInteger(cursor.afterId);
  return isConsistent && now - cursor.at < USABLE_MS ? cursor : undefined;
}

/** Everything below `horizon`; greater than the cursor of any frame of the batch that ended there. */
export function cursorAt(horizon: string, at: number): LogCursor {
  return { from: horizon, to: horizon, afterId: Number.MAX_SAFE_INTEGER, at };
}

function plain(digits: string): string {
  return BigInt(digits).toString();
}
