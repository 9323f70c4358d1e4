import { expect, test } from 'vitest';
import { localeOfHeader } from './locale.ts';

test.each([
  ['en-GB,en;q=0.9', 'en'],
  ['ja', 'ja'],
  ['fr-FR,fr;q=0.9,en;q=0.5,ja;q=0.8', 'ja'],
  ['en;q=0,ja;q=0.1', 'ja'],
  ['jam,english', undefined],
  ['*', undefined],
  [undefined, undefined],
] as const)('Accept-Language %s wants %s', (header, locale) => {
  expect(localeOfHeader(header)).toBe(locale);
});
