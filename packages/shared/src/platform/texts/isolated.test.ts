import { expect, test } from 'vitest';
import { isolated } from './isolated.ts';

test.each(['Bob', '山田', 'José', '👩‍💻', '', '1 + 1'])(
  '%j cannot turn anything: it comes as it is',
  (text) => {
    expect(isolated(text)).toBe(text);
  },
);

test.each([
  ['שלמה', '\u2068שלמה\u2069'],
  ['محمد', '\u2068محمد\u2069'],
  ['a\u202eb', '\u2068ab\u2069'],
  ['a\u2069b', '\u2068ab\u2069'],
  ['a\u2067b', '\u2068ab\u2069'],
  ['\u2069\u2067', '\u2068\u2069'],
  // What is isolated already, as a part of a text that was put together, stays so.
  ['x \u2068ש\u2069', '\u2068x \u2068ש\u2069\u2069'],
])('%j turns only itself', (text, result) => {
  expect(isolated(text)).toBe(result);
});
