import { expect, test } from 'vitest';
import { amountText, costText } from './amount-text.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1k'],
  [12_431, '12.4k'],
  [999_949, '999.9k'],
  [999_950, '1M'],
  [1_250_000, '1.3M'],
])('%d tokens are %s', (amount, text) => {
  expect(amountText(amount)).toBe(text);
});

test('costs have two digits, and a very small one is not nothing', () => {
  expect([costText(0), costText(0.001), costText(0.0312), costText(12)]).toEqual([
    '$0.00',
    '<$0.01',
    '$0.03',
    '$12.00',
  ]);
});
