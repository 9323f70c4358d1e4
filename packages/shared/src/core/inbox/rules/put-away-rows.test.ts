import { expect, test } from 'vitest';
import type { WaitingItem } from './inbox-entries.ts';
import { putAwayRows } from './put-away-rows.ts';

const item = (refId: string, kind: WaitingItem['kind'], rest: { agentId?: string; putAwayAt?: string }) => ({
  kind,
  projectId: 'prj_a',
  refId,
  createdAt: '2026-11-22T00:00:00.000Z',
  title: refId,
  putAwayAt: '2026-11-23T00:00:00.000Z',
  ...rest,
});

test('a failure and what it had caused are one row, named by the run', () => {
  const message = item('msg_1', 'failed_message', { agentId: 'agt_a' });
  const run = item('run_1', 'failed_run', { agentId: 'agt_a' });
  const task = item('tsk_1', 'blocked_task', { agentId: 'agt_a' });
  const other = item('run_2', 'failed_run', { agentId: 'agt_b' });
  expect(putAwayRows([message, other, run, task])).toEqual([
    { item: run, items: [message, run, task] },
    { item: other, items: [other] },
  ]);
});

test('what was put away at another moment is another row, and so is each task of nobody', () => {
  const first = item('tsk_1', 'blocked_task', { agentId: 'agt_a' });
  const later = item('tsk_2', 'blocked_task', { agentId: 'agt_a', putAwayAt: '2026-11-23T00:00:01.000Z' });
  const [free, freed] = [item('tsk_3', 'blocked_task', {}), item('tsk_4', 'blocked_task', {})];
  const snoozed = { ...first, refId: 'tsk_5', until: '2026-11-24T00:00:00.000Z' };
  const all = [later, first, free, freed, snoozed];
  expect(putAwayRows(all)).toEqual(all.map((one) => ({ item: one, items: [one] })));
});

test('the mentions on a task that were put away together are one row', () => {
  const mention = (refId: string) => ({ ...item(refId, 'mention', {}), taskId: 'tsk_1' });
  const [newer, older] = [mention('cmt_2'), mention('cmt_1')];
  expect(putAwayRows([newer, older])).toEqual([{ item: newer, items: [newer, older] }]);
});
