import { expect, test } from 'vitest';
import { lastLinesOf } from './last-lines.ts';

test('one line stands for itself', () => {
  expect(lastLinesOf('boom\n')).toEqual({ lastLine: 'boom' });
  expect(lastLinesOf('')).toEqual({ lastLine: null });
});

test('of more the last five are kept, without colours and empty lines', () => {
  const output = '1\n2\n\u001b[31mError: no model\u001b[0m\r\n\n    at start (a.js:1)\n  \n4\n5\n6\n\n';
  expect(lastLinesOf(output)).toEqual({
    lastLine: '6',
    lastLines: 'Error: no model\n    at start (a.js:1)\n4\n5\n6',
  });
});

test('a long line is cut', () => {
  expect(lastLinesOf('x'.repeat(10_000)).lastLine).toHaveLength(500);
});
