import type { TurnEnd, TurnEvent } from '../turn-events.ts';

export type Progress = Exclude<TurnEvent, TurnEnd>;

export interface EventConsumer {
  readonly onProgress: (event: Progress) => void;
  readonly signal: AbortSignal;
  /** How long a driver may take to end an interrupted turn. */
  readonly interruptLimitMs: number;
  readonly log: (sentence: string) => void;
}

export interface Consumed {
  readonly end: TurnEnd;
  /** The stream did not end as it has to: the session of the driver cannot be used any more. */
  readonly isBroken: boolean;
}

const INTERRUPTED: TurnEnd = { type: 'end', reason: 'interrupted' };
const OVERDUE = Symbol('overdue');

/** Reads a turn's events to the end. Never rejects. Of an aborted turn only what it has cost is passed on. */
export async function consumeEvents(
  run: () => AsyncIterable<TurnEvent>,
  { onProgress, signal, interruptLimitMs, log }: EventConsumer,
): Promise<Consumed> {
  const overdue = Promise.withResolvers<typeof OVERDUE>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => overdue.resolve(OVERDUE), interruptLimitMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const leave = (iterator: AsyncIterator<TurnEvent>) =>
    iterator.return?.().catch((error: unknown) => log(`the end of a turn failed: ${String(error)}`));
  try {
    const iterator = run()[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([iterator.next(), overdue.promise]);
      if (next === OVERDUE) {
        log(`the driver did not end an interrupted turn in ${interruptLimitMs} ms`);
        void leave(iterator);
        return { end: INTERRUPTED, isBroken: true };
      }
      if (next.done) throw new Error('the driver ended a turn without an end event');
      if (next.value.type === 'end') {
        void leave(iterator);
        return { end: next.value, isBroken: false };
      }
      if (!signal.aborted || next.value.type === 'usage') onProgress(next.value);
    }
  } catch (error) {
    if (signal.aborted) return { end: INTERRUPTED, isBroken: true };
    const sentence = error instanceof Error ? error.message : String(error);
    return { end: { type: 'end', reason: 'failed', error: sentence }, isBroken: true };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
