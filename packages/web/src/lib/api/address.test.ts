import { expect, test } from 'vitest';
import { fillPath, queryString } from './address.ts';

test('a parameter is encoded and stays in its segment', () => {
  expect(fillPath('/api/projects/:pid/agents/:aid', { pid: 'prj_a', aid: '../x?y#z' })).toBe(
    '/api/projects/prj_a/agents/..%2Fx%3Fy%23z',
  );
});

test('a query has the defined values, and lists as repeated parameters', () => {
  expect(queryString({ limit: 50, cursor: undefined, status: ['todo', 'done'] })).toBe(
    '?limit=50&status=todo&status=done',
  );
  expect(queryString({})).toBe('');
});
