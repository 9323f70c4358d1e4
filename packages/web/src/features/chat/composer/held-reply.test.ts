import { expect, test } from 'vitest';
import { HeldReply } from './held-reply.ts';

function reply() {
  const done: string[] = [];
  const held = new HeldReply({
    answer: () => done.push('answer'),
    undo: () => done.push('undo'),
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

test('an answer that the server refuses is ended once', () => {
  const late = reply();
  const message = () => late.done.push('message');
  late.held.refused(message);
  expect(late.done).toEqual([]);
  late.held.answer();
  late.held.refused(message);
  late.held.refused(message);
  expect(late.done).toEqual(['answer', 'message']);
});
