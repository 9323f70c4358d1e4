import { expect, test } from 'vitest';
import { bestHost, fitnessOf, type SeenProgram } from './host-programs.ts';

test('what is not known about the sign-in is not said', () => {
  expect(fitnessOf({ state: 'found', isSignedIn: true })).toBe('ready');
  expect(fitnessOf({ state: 'found' })).toBe('probably');
  expect(fitnessOf({ state: 'found', isSignedIn: false })).toBe('sign_in_missing');
  expect(fitnessOf({ state: 'too_old', isSignedIn: true })).toBe('too_old');
});

test('of several hosts the one that is nearest to running it counts', () => {
  const host = (name: string, program: SeenProgram) => ({ name, program });
  const [none, old, out, ready] = [
    host('a', { state: 'not_found' }),
    host('b', { state: 'too_old' }),
    host('c', { state: 'found', isSignedIn: false }),
    host('d', { state: 'found', isSignedIn: true }),
  ];
  expect(bestHost([none, old, out, ready])?.name).toBe('d');
  expect(bestHost([none, old, out])?.name).toBe('c');
  expect(bestHost([none, host('e', { state: 'not_found' })])?.name).toBe('a');
  expect(bestHost([])).toBeUndefined();
});
