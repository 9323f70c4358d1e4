import { expect, test } from 'vitest';
import { begunSecretOf, hiderOf, secretsIn } from './secret-values.ts';

test('values are secret by their names; short ones are ordinary words', () => {
  const env = { API_KEY: 'k-123456', DB_PASSWORD: 'short', PATH: '/usr/bin:/bin', MY_TOKEN: undefined };
  expect(secretsIn(env)).toEqual(['k-123456']);
});

test('they are unreadable wherever they stand, and the text keeps its length', () => {
  const hide = hiderOf(['secret-1', 'secret-1-longer', undefined, 'ollama']);
  expect(hide('a secret-1, a secret-1-longer and ollama')).toBe('a [hidden], a ·······[hidden] and ollama');
});

test('the end of a text may be the beginning of a secret', () => {
  const begun = begunSecretOf(['secret-1', 'set-a-limit']);
  expect(['', 'a se', 'a sec', 'a set-a', 'secret-1', 'a sex'].map(begun)).toEqual([0, 0, 3, 5, 0, 0]);
});
