import { expect, test } from 'vitest';
import { Redactor } from './redactor.ts';

function pass(secret: string, chunks: readonly string[]): string {
  const redactor = new Redactor([secret]);
  const shown = chunks.map((chunk) => redactor.push(Buffer.from(chunk)));
  return Buffer.concat([...shown, redactor.end()]).toString();
}

test('a secret is hidden, whatever the boundaries of the chunks are', () => {
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
  const redactor = new Redactor(['abcabd', 'bdx']);
  const shown = [...bytes].map((byte) => redactor.push(Buffer.from([byte])));
  expect(Buffer.concat([...shown, redactor.end()])).toEqual(bytes);
});

test('without a secret no bytes are held back', () => {
  expect(new Redactor(['', '']).push(Buffer.from('abc')).toString()).toBe('abc');
});

test('several secrets are hidden at any boundary, also one with letters of more than one byte', () => {
  const secrets = ['key-one-12345', '鍵-二つ目', 'key-two'];
  const text = Buffer.from('a key-one-12345 b 鍵-二つ目 c key-two d key-');
  for (let cut = 0; cut <= text.length; cut += 1) {
    const redactor = new Redactor(secrets);
    const shown = [redactor.push(text.subarray(0, cut)), redactor.push(text.subarray(cut)), redactor.end()];
    expect(Buffer.concat(shown).toString()).toBe('a [hidden] b [hidden] c [hidden] d key-');
  }
});
