import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutToTokens, packed, tokensIn } from './pack.ts';

it('a cut text keeps within its tokens, and a text that fits is not cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 50 }), (text, most) => {
      const cut = cutToTokens(text, most);
      expect(tokensIn(cut)).toBeLessThanOrEqual(most);
      if (tokensIn(text) <= most) expect(cut).toBe(text);
    }),
  );
  expect(cutToTokens('東京都の天気', 4)).toBe('東京都…');
});

it('what does not fit is left out, what is shorter may follow', () => {
  const items = ['東京都', '大阪府の天気', '京都'].map((text) => ({ text }));
  expect(packed(items, 5).map(({ text }) => text)).toEqual(['東京都', '京都']);
});
