import type { Step } from '@aizuchi/shared/contract/step';
import { expect, test } from 'vitest';
import { foldOlder, lastEdit, linesOf, MAX_LINES, summaryOf } from './step-lines.ts';

let made = 0;
const step = (kind: Step['kind'], status: Step['status'] = 'done', rest: Partial<Step> = {}): Step => {
  made += 1;
  return { id: `s${made}`, kind, title: kind, status, ...rest };
};
const shape = (steps: readonly Step[]) =>
  linesOf(steps).map(({ kind, steps, status }) => [kind, steps.length, status]);

test('neighbouring reads are one line, in true order; other kinds have a line each', () => {
  const steps = [step('read'), step('read'), step('search'), step('read'), step('command'), step('command')];
  expect(shape(steps)).toEqual([
    ['read', 2, 'done'],
    ['search', 1, 'done'],
    ['read', 1, 'done'],
    ['command', 1, 'done'],
    ['command', 1, 'done'],
  ]);
});

test('a failed read stays visible on its own line', () => {
  expect(shape([step('read'), step('read', 'failed'), step('read'), step('read', 'running')])).toEqual([
    ['read', 1, 'done'],
    ['read', 1, 'failed'],
    ['read', 2, 'running'],
  ]);
});

test('more than twelve lines: the older ones fold, and twelve lines are seen', () => {
  const lines = (count: number) => linesOf(Array.from({ length: count }, () => step('command')));
  expect(foldOlder(lines(MAX_LINES)).folded).toHaveLength(0);
  const { folded, shown } = foldOlder(lines(20));
  expect([folded.length, shown.length]).toEqual([9, 11]);
});

test('the summary: failed once, then passed; a thought at the end decides nothing', () => {
  const steps = [step('command', 'failed'), step('edit'), step('command'), step('thought')];
  expect(summaryOf(steps)).toEqual({ count: 4, failed: 1, hasRecovered: true });
  expect(summaryOf([step('edit'), step('command', 'failed')])).toMatchObject({ hasRecovered: false });
});

test('the last edit with a diff', () => {
  const diff = { path: 'a', before: '', after: 'b' };
  const lines = linesOf([
    step('edit', 'done', { id: 'e1', diff }),
    step('edit', 'done', { id: 'e2', diff }),
    step('edit'),
  ]);
  expect(lastEdit(lines)).toBe('e2');
});
