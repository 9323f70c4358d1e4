import { expect, test } from 'vitest';
import { DISMISSIBLE_KINDS, INBOX_KINDS, type InboxItem, MAX_DISMISSED } from '../../../contract/inbox.ts';
import { dismissible, inboxEntries, inCalls, itemsOf } from './inbox-entries.ts';

const T0 = Date.parse('2026-11-28T00:00:00.000Z');
const item = (kind: InboxItem['kind'], refId: string, seconds: number, agentId = 'agt_a'): InboxItem => ({
  kind,
  projectId: 'prj_a',
  agentId,
  refId,
  createdAt: new Date(T0 + seconds * 1_000).toISOString(),
  title: refId,
});
const rows = (...items: InboxItem[]) =>
  inboxEntries(items).map((entry) =>
    itemsOf(entry)
      .map(({ refId }) => refId)
      .join(' '),
  );

test('questions and approvals stand first, the nearest deadline on top, however old the rest is', () => {
  expect(
    rows(
      item('unread', 'agt_b', 0, 'agt_b'),
      item('blocked_task', 'tsk_1', 1, 'agt_c'),
      item('approval', 'second', 90),
      item('question', 'first', 60),
    ),
  ).toEqual(['first', 'second', 'tsk_1', 'agt_b']);
});

test('one crash is one row: the run, the messages that failed, its line in the chat, the task that it blocked', () => {
  const crash = [
    item('failed_message', 'msg_1', 99),
    item('failed_message', 'msg_2', 100),
    item('failed_run', 'run_1', 101),
    item('blocked_task', 'tsk_1', 102),
    item('unread', 'agt_a', 50),
  ];
  expect(rows(...crash)).toEqual(['run_1 msg_2 msg_1 tsk_1 agt_a']);
  expect(dismissible(crash).map(({ refId }) => refId)).toEqual(['msg_1', 'msg_2', 'run_1', 'tsk_1']);
});

test('the mentions on a task are one row, apart from those in a chat', () => {
  const onTask = (refId: string, seconds: number, taskId: string): InboxItem => {
    const { agentId: _none, ...mention } = item('mention', refId, seconds);
    return { ...mention, taskId };
  };
  expect(
    rows(
      onTask('cmt_1', 1, 'tsk_1'),
      onTask('cmt_2', 2, 'tsk_1'),
      onTask('cmt_3', 3, 'tsk_2'),
      item('mention', 'msg_1', 4),
      item('unread', 'agt_a', 5),
    ),
  ).toEqual(['msg_1 agt_a', 'cmt_3', 'cmt_2 cmt_1']);
});

test('a task that was blocked at another time, and what another agent does, are rows of their own', () => {
  expect(
    rows(
      item('failed_run', 'run_1', 1_000),
      item('blocked_task', 'tsk_1', 10),
      item('failed_run', 'run_2', 2_000, 'agt_b'),
      item('unread', 'agt_c', 3_000, 'agt_c'),
    ),
  ).toEqual(['run_2', 'run_1', 'agt_c', 'tsk_1']);
});

test('what the server lets a person put away is what the page offers', () => {
  const all = INBOX_KINDS.map((kind) => item(kind, kind, 0));
  expect(dismissible(all).map(({ kind }) => kind)).toEqual([...DISMISSIBLE_KINDS]);
});

test('a row of more than one call takes is put away by several', () => {
  const items = Array.from({ length: 101 }, (_none, n) => item('failed_message', `msg_${n}`, n));
  expect(inCalls(dismissible(items)).map(({ length }) => length)).toEqual([MAX_DISMISSED, MAX_DISMISSED, 1]);
  expect(inCalls([])).toEqual([]);
});
