import { expect, test } from 'vitest';
import { doneBefore, planOf, progressNote } from './task-plan.ts';

const plan = (description: string, title = 'A task') => planOf({ title, description });

test('a checklist is read in its usual forms, without what is ticked', () => {
  expect(plan('Please:\n- [ ] one\n- [x] ticked\n* [ ] two\n')).toEqual({
    kind: 'checklist',
    items: ['one', 'two'],
  });
  expect(plan('・机を拭く\n● 窓を開ける\n')).toEqual({
    kind: 'checklist',
    items: ['机を拭く', '窓を開ける'],
  });
  expect(plan('1. first\r\n2) second\n3．三番目')).toEqual({
    kind: 'checklist',
    items: ['first', 'second', '三番目'],
  });
  for (const line of ['2026.05.03 リリース', '3.5 hours', '1.2.0 をリリースする', '192.168.0.1 を調べる'])
    expect(plan(line)).toEqual({ kind: 'unknown' });
  expect(plan('1)2 apples')).toEqual({ kind: 'checklist', items: ['2 apples'] });
  expect(plan('- [x] all\n- [X] ticked')).toEqual({ kind: 'checklist', items: [] });
});

test('a summary of the board is recognised in both languages', () => {
  expect(plan('', 'Summarise the board')).toEqual({ kind: 'summary' });
  expect(plan('ボードをまとめて')).toEqual({ kind: 'summary' });
  expect(plan('Write a summary of the book')).toEqual({ kind: 'unknown' });
  expect(plan('Repair the login')).toEqual({ kind: 'unknown' });
});

test('it goes on after the items that were saved, but not of a round that is done', () => {
  const items = ['one', 'two', 'three'];
  const note = (n: number, attempt: number) => ({
    at: '',
    attempt,
    text: progressNote(n, 3, items[n - 1] ?? ''),
  });
  const ended = (attempt: number, outcome: 'done' | 'crashed') => ({
    attempt,
    outcome,
    agent_id: 'agt_a',
    started_at: '',
    ended_at: '',
    summary: null,
  });
  expect(doneBefore(items, { context: [], attempts: [] })).toBe(0);
  expect(doneBefore(items, { context: [note(1, 1), note(2, 1)], attempts: [ended(1, 'crashed')] })).toBe(2);
  expect(doneBefore(items, { context: [note(1, 1), note(2, 1)], attempts: [ended(1, 'done')] })).toBe(0);
  expect(doneBefore(['one', 'other'], { context: [note(1, 1)], attempts: [] })).toBe(0);
});
