import { STEP_LIMITS } from '@aizuchi/shared/contract/step';
import { reportStepInput } from '@aizuchi/shared/contract/tools/session';
import { expect, test } from 'vitest';
import type { Step } from '../turn-events.ts';
import { toReportedStep, updated } from './reported-step.ts';

const STEP: Step = { id: 's1', kind: 'edit', title: 'Edit', status: 'done' };

test.each<[string, Partial<Step>]>([
  ['an empty id and title', { id: '', title: '' }],
  ['a title of several lines', { title: 'one\n\ttwo\u202e' }],
  ['a long id', { id: 'x'.repeat(1_000) }],
  ['binary output', { detail: 'a\u0000b\ud800c' }],
  [
    'a large binary file without a name',
    { diff: { path: '', before: '\u0000'.repeat(99_999), after: '😀'.repeat(99_999) } },
  ],
])('whatever a driver reports, the server can take it: %s', (_, more) => {
  const step = toReportedStep({ ...STEP, ...more });
  const args = { message_id: `msg_${'0'.repeat(20)}`, step };
  expect(reportStepInput.safeParse(args).success).toBe(true);
  expect(JSON.stringify(step)).not.toMatch(/\\u0000|\\ud800/);
  expect(step.title).toMatch(/^[^\n]+$/);
  const { path = '', before = '', after = '' } = step.diff ?? {};
  expect(Buffer.byteLength(path + before + after)).toBeLessThanOrEqual(STEP_LIMITS.diffBytes);
});

test('what a later report leaves out stays, and what was cut of it stays cut', () => {
  const first = toReportedStep({ ...STEP, detail: 'x'.repeat(9_999), title: 'y'.repeat(999) });
  expect(first.cut).toEqual(['title', 'detail']);
  const second = updated(first, toReportedStep({ ...STEP, status: 'failed' }));
  expect(second).toMatchObject({ title: 'Edit', status: 'failed', detail: first.detail, cut: ['detail'] });
  expect(updated(second, toReportedStep({ ...STEP, detail: 'short' }))).toEqual({ ...STEP, detail: 'short' });
});
