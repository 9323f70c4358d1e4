import { expect, test } from 'vitest';
import { embeddingText } from './embedding-text.ts';

const EVENT = {
  type: 'event',
  createdAt: new Date('2026-05-08T23:00:00Z'),
  actor: null,
  userText: null,
  assistantText: null,
  caption: null,
} as const;

test('an event is its day, its speaker, what was said, and the caption', () => {
  const said = { actor: 'Ann', userText: 'hi', assistantText: 'hello', caption: 'a cat' };
  expect(embeddingText({ ...EVENT, ...said })).toBe('2026-05-08 · Ann\nhi\nhello\n[a cat]');
  expect(embeddingText(EVENT)).toBe('2026-05-08');
});

test('a state is its kind, its text and the beginning of its payload', () => {
  const state = { type: 'state', kind: 'fact', bodyText: 'likes tea' } as const;
  expect(embeddingText({ ...state, payload: '{}' })).toBe('fact: likes tea');
  expect(embeddingText({ ...state, payload: 'p'.repeat(2_000) })).toBe(
    `fact: likes tea\n${'p'.repeat(1_200)}`,
  );
});

test('a long text is cut, and never in the middle of a character', () => {
  const text = embeddingText({ ...EVENT, userText: '𠮟'.repeat(8_000) });
  expect(text.length).toBeLessThanOrEqual(8_000);
  expect(text.isWellFormed()).toBe(true);
});
