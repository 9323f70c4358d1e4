import { expect, test } from 'vitest';
import { PROGRAM_KEY_LENGTH, programKey } from './program-key.ts';

test('a program is the same wherever it is installed, and another one with other arguments', () => {
  expect(programKey({ file: '/opt/bin/gemini', args: ['--acp'] })).toBe('gemini --acp');
  expect(programKey({ file: 'gemini', args: ['--acp'] })).toBe('gemini --acp');
  expect(programKey({ file: 'node', args: ['one.mjs'] })).not.toBe(
    programKey({ file: 'node', args: ['two.mjs'] }),
  );
  expect(programKey(undefined)).toBe('');
  const long = programKey({ file: 'x', args: ['😀'.repeat(1_000)] });
  expect(long.length).toBeLessThanOrEqual(PROGRAM_KEY_LENGTH);
  expect(long.isWellFormed()).toBe(true);
});
