/**
 * The position of a client in the log, as an opaque text. Text order is log order: batches have a rising `to`,
 * entries of a batch a rising id.
 *
 * The client has all entries of transactions below `from`; of the transactions from `from` up to `to` it has the
 * entries up to `afterId`. `at` is the time when `from` was the horizon: entries that the client lacks are not older,
 * so the age of `at` says whether the log still holds them. The position belongs to the history that `epoch` names; a
 * restored database begins another one.
 */
export interface LogCursor {
  readonly from: string;
  readonly to: string;
  readonly afterId: number;
  readonly at: number;
  readonly epoch: string;
}

/** The log is kept 48 h. One hour less allows for clocks that differ and for long transactions. */
const USABLE_MS = 47 * 3_600_000;

const XID_DIGITS = 20;
const ID_DIGITS = 16;
const CURSOR = /^(\d{20})(\d{16})(\d{20})([0-9a-z]{9})([0-9a-f]{12})$/;

export function encodeCursor({ from, to, afterId, at, epoch }: LogCursor): string {
  const xid = (value: string) => value.padStart(XID_DIGITS, '0');
  const place = `${xid(to)}${String(afterId).padStart(ID_DIGITS, '0')}${xid(from)}`;
  return `${place}${at.toString(36).padStart(9, '0')}${epoch}`;
}

/** Undefined for a text that is not a cursor, or a cursor older than the log. */
export function decodeCursor(text: string, now: number): LogCursor | undefined {
  const match = CURSOR.exec(text);
  if (!match) return undefined;
  const [, to = '', id = '', from = '', at = '', epoch = ''] = match;
  const cursor = {
    to: plain(to),
    afterId: Number(id),
    from: plain(from),
    at: Number.parseInt(at, 36),
    epoch,
  };
  const isConsistent = BigInt(from) <= BigInt(to) && Number.isSafeInteger(cursor.afterId);
  return isConsistent && now - cursor.at < USABLE_MS ? cursor : undefined;
}

/** The position after everything below `xid`; greater than the cursor of any frame of the batch that ended there. */
export function cursorAt({ xid, at, epoch }: { xid: string; at: number; epoch: string }): LogCursor {
  return { from: xid, to: xid, afterId: Number.MAX_SAFE_INTEGER, at, epoch };
}

function plain(digits: string): string {
  return BigInt(digits).toString();
}
