import { expect, test } from 'vitest';
import { withoutAnsi } from './output-text.ts';

test('colours, terminal titles and overwritten lines are left out', () => {
  expect(withoutAnsi('\u001b[31m2 failed\u001b[0m\r\n')).toBe('2 failed\n');
  expect(withoutAnsi('\u001b]0;title\u0007text')).toBe('text');
  expect(withoutAnsi('10 %\r90 %\rdone\nnext')).toBe('done\nnext');
});
