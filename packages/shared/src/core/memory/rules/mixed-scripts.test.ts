import { expect, test } from 'vitest';
import { tokensOf } from './tokens.ts';

const texts = (text: string) => tokensOf(text).map((token) => token.text);

test('a word ends where a script without spaces begins: API is found in APIの仕様', () => {
  expect(texts('APIの仕様')).toEqual(expect.arrayContaining(['api', '仕様']));
  expect(texts('締め日をUTCで決める')).toEqual(expect.arrayContaining(['締め', 'utc', '決め']));
  expect(texts('ＡＰＩです')).toContain('api');
});
