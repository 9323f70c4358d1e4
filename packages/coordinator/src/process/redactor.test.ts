import { expect, test } from 'vitest';
import { Redactor } from './redactor.ts';

function pass(secret: string, chunks: readonly string[]): string {
  const redactor = new Redactor(secret);
  const shown = chunks.map((chunk) => redactor.push(Buffer.from(chunk)));
  return Buffer.concat([...shown, redactor.end()]).toString();
}

test('a secret is hidden wherever the chunks are cut', () => {
  const text = 'before abcabd and abcabd after abc';
  for (let cut = 0; cut <= text.length; cut += 1) {
    for (let second = cut; second <= text.length; second += 1) {
      const chunks = [text.slice(0, cut), text.slice(cut, second), text.slice(second)];
      expect(pass('abcabd', chunks)).toBe('before [hidden] and [hidden] after abc');
    }
  }
});

test('other bytes pass unchanged, also characters that are cut in half', () => {
  const bytes = Buffer.from('日本語 abcab');
  const redactor = new Redactor('abcabd');
  const shown = [...bytes].map((byte) => redactor.push(Buffer.from([byte])));
  expect(Buffer.concat([...shown, redactor.end()])).toEqual(bytes);
});

test('without a secret nothing is held back', () => {
  expect(new Redactor(undefined).push(Buffer.from('abc')).toString()).toBe('abc');
});
