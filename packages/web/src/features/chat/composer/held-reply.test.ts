import { expect, test } from 'vitest';
import { HeldReply } from './held-reply.ts';

function reply() {
  const done: string[] = [];
  const held = new HeldReply({
    answer: () => done.push('answer'),
    undo: () => done.push('undo'),
    message: () => done.push('message'),
  });
  return { held, done };
}

test('a text is the answer or a message, whatever comes after', () => {
  const closed = reply();
  closed.held.answer();
  closed.held.cardIsOver(() => closed.done.push('message'));
  closed.held.undo();
  closed.held.answer();
  expect(closed.done).toEqual(['answer']);
  // The card is over; then the row goes, which sends what is still held.
  const over = reply();
  over.held.cardIsOver(() => over.done.push('message'));
  over.held.answer();
  expect(over.done).toEqual(['message']);
  const undone = reply();
  undone.held.undo();
  undone.held.answer();
  undone.held.cardIsOver(() => undone.done.push('message'));
  expect(undone.done).toEqual(['undo']);
});

test('an answer that came too late is a message, once, unless it was taken', () => {
  const late = reply();
  late.held.answer();
  late.held.refused(false);
  late.held.refused(false);
  expect(late.done).toEqual(['answer', 'message']);
  const taken = reply();
  taken.held.answer();
  taken.held.refused(true);
  expect(taken.done).toEqual(['answer']);
});
