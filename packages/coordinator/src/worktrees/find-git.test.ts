import { expect, test } from 'vitest';
import { StartError } from '../launch/start-error.ts';
import { RUN_ERRORS } from '../texts/run-errors.ts';
import { findGit, isNewEnough } from './find-git.ts';

test('a host without git says what to do', async () => {
  const missing = findGit('/nonexistent:relative', undefined, RUN_ERRORS.en);
  await expect(missing).rejects.toThrow(StartError);
  await expect(missing).rejects.toThrow(/no git on the host.*Install git, or choose the shared folder/);
});

test.each([
  ['2.38.0', true],
  ['2.39.5', true],
  ['3.0', true],
  ['2.37.9', false],
  ['1.99', false],
])('git %s is new enough: %s', (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});
