import { expect, test } from 'vitest';
import { cutBytes, cutText } from './cut-text.ts';
import { estimateTokens } from './tokens.ts';

test('a text that fits stays, another one says how long it was', () => {
  expect(cutText('short', 5)).toBe('short');
  const cut = cutText('x'.repeat(1_000), 100);
  expect(cut).toHaveLength(100);
  expect(cut).toMatch(/^x+ … \(cut: 1000 characters in all\)$/);
});

test('no character is cut in two, and bytes are counted where bytes count', () => {
  for (let most = 60; most < 70; most += 1) expect(cutText('👍'.repeat(100), most).isWellFormed()).toBe(true);
  const cut = cutBytes('茶'.repeat(4_000), 4_096);
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(4_096);
  expect(Buffer.byteLength(cut)).toBeGreaterThan(4_000);
});

test('Japanese has about as many tokens as characters, English a third', () => {
  expect(estimateTokens('お茶を注文する')).toBe(7);
  expect(estimateTokens('Order some tea')).toBe(4);
});
