import type { PendingMessage } from '../composer/outbox.ts';
import type { StreamedAnswer } from '../timeline/timeline.ts';
import type { Row } from './rows.ts';

/**
 * Adds the pending messages and the streamed answer at the end. The frame of a message may arrive before the response
 * to the call that stored it: then the pending message is already shown by that message's row.
 */
export function withPending(
  rows: readonly Row[],
  pending: readonly PendingMessage[],
  streaming: readonly StreamedAnswer[],
  meId: string | undefined,
): readonly Row[] {
  if (pending.length === 0 && streaming.length === 0) return rows;
  const keys = new Set(rows.map(({ key }) => key));
  const stored = new Map<string, Row>();
  const unstored: PendingMessage[] = [];
  for (const one of pending) {
    if (keys.has(one.clientMessageId)) continue;
    const row = rows.find((row) => isRowOf(row, one, meId) && !stored.has(row.key));
    if (row) stored.set(row.key, { ...row, key: one.clientMessageId });
    else unstored.push(one);
  }
  const { above, below } = aroundGrowing(rows, streaming.length > 0);
  return [
    ...(stored.size === 0 ? above : above.map((row) => stored.get(row.key) ?? row)),
    ...unstored.map((one): Row => ({ kind: 'pending', key: one.clientMessageId, pending: one })),
    ...streaming.map((one): Row => ({ kind: 'streaming', key: one.messageId, streaming: one })),
    ...below,
  ];
}

/**
 * What an agent asks while it writes stands below the growing answer, where the reader looks; also what was decided
 * since the last message.
 */
function aroundGrowing(rows: readonly Row[], isGrowing: boolean) {
  if (!isGrowing) return { above: rows, below: [] };
  const last = rows.findLastIndex(({ kind }) => kind === 'message');
  const isBelow = (row: Row, index: number) =>
    isPendingCard(row) || (index > last && (row.kind === 'question' || row.kind === 'approval'));
  return {
    above: rows.filter((row, index) => !isBelow(row, index)),
    below: rows.filter(isBelow),
  };
}

function isPendingCard(row: Row): boolean {
  if (row.kind === 'question') return row.card.status === 'pending';
  return row.kind === 'approval' && row.approval.status === 'pending';
}

function isRowOf(row: Row, pending: PendingMessage, meId: string | undefined): boolean {
  if (row.kind !== 'message' || row.key !== row.message.id) return false;
  const { sender, humanId, content, seq } = row.message;
  return sender === 'user' && humanId === meId && content === pending.content && seq > pending.afterSeq;
}
