import { expect, test } from 'vitest';
import type { TurnEvent } from '../turn-events.ts';
import { consumeEvents, type Progress } from './consume-events.ts';

const DONE: TurnEvent = { type: 'end', reason: 'done' };
const COST: TurnEvent = { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } };
const INTERRUPTED: TurnEvent = { type: 'end', reason: 'interrupted' };

function text(piece: string): TurnEvent {
  return { type: 'text', text: piece };
}

/** Reads the events of one turn; `interrupt` aborts it. */
function consume(run: (interrupt: () => void) => AsyncIterable<TurnEvent>, interruptLimitMs = 60_000) {
  const cut = new AbortController();
  const progress: Progress[] = [];
  const logged: string[] = [];
  const consumed = consumeEvents(() => run(() => cut.abort()), {
    onProgress: (event) => void progress.push(event),
    signal: cut.signal,
    interruptLimitMs,
    log: (sentence) => void logged.push(sentence),
  });
  return { consumed, progress, logged };
}

test('the events come in their order, up to the end', async () => {
  const { consumed, progress } = consume(async function* () {
    yield text('a');
    yield { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } };
    yield text('b');
    yield DONE;
  });
  expect(await consumed).toEqual({ end: DONE, isBroken: false });
  expect(progress).toEqual([
    text('a'),
    { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } },
    text('b'),
  ]);
});

test('a driver that throws has failed, and its session is broken', async () => {
  const { consumed, progress } = consume(async function* () {
    yield text('a');
    throw new Error('the model is gone');
  });
  expect(await consumed).toEqual({
    end: { type: 'end', reason: 'failed', error: 'the model is gone' },
    isBroken: true,
  });
  expect(progress).toEqual([text('a')]);
});

test('a stream without an end is a failure', async () => {
  const { consumed } = consume(async function* () {
    yield text('a');
  });
  expect(await consumed).toMatchObject({ end: { reason: 'failed' }, isBroken: true });
});

test('a failure that the driver reports leaves its session usable', async () => {
  const failed: TurnEvent = { type: 'end', reason: 'failed', error: '529', sentence: 'Try again.' };
  const { consumed } = consume(async function* () {
    yield failed;
  });
  expect(await consumed).toEqual({ end: failed, isBroken: false });
});

test('what is written after an interrupt is not part of the answer, and what was spent is known', async () => {
  const { consumed, progress } = consume(async function* (interrupt) {
    yield text('a');
    interrupt();
    yield text('b');
    yield COST;
    yield INTERRUPTED;
  });
  expect(await consumed).toEqual({ end: INTERRUPTED, isBroken: false });
  expect(progress).toEqual([text('a'), COST]);
});

test('a driver that throws because of the interrupt is interrupted, and its session is broken', async () => {
  const { consumed } = consume(async function* (interrupt) {
    yield text('a');
    interrupt();
    throw new Error('aborted');
  });
  expect(await consumed).toEqual({ end: INTERRUPTED, isBroken: true });
});

test('a driver that does not end an interrupted turn is not waited for', async () => {
  const { consumed, logged } = consume(async function* (interrupt) {
    yield text('a');
    interrupt();
    await new Promise(() => undefined);
  }, 10);
  expect(await consumed).toEqual({ end: INTERRUPTED, isBroken: true });
  expect(logged).toEqual(['the driver did not end an interrupted turn in 10 ms']);
});

test('the driver can put its things in order after the end', async () => {
  const closed = Promise.withResolvers<void>();
  const { consumed } = consume(async function* () {
    try {
      yield DONE;
    } finally {
      closed.resolve();
    }
  });
  await consumed;
  await closed.promise;
});
