import { expect, test } from 'vitest';
import { revealed } from './revealed.ts';

const plain = (text: string) =>
  revealed(text)
    .map(({ text, isHidden }) => (isHidden ? `<${text}>` : text))
    .join('');

test('hidden characters are shown by their number', () => {
  expect(plain('rm \u202e-rf\u200b /')).toBe('rm <U+202E>-rf<U+200B> /');
  expect(plain('\u001b[2Kls')).toBe('<U+001B>[2Kls');
});

test('lines, tabs and letters of every script stay as they are', () => {
  const text = 'if x:\r\n\techo 日本語 é 👍';
  expect(plain(text)).toBe('if x:\n\techo 日本語 é 👍');
});
