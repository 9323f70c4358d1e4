import { expect, test } from 'vitest';
import { inboxEntries, type WaitingItem } from '../../inbox/rules/inbox-entries.ts';
import { compare, decideDue, type KnownNotification, messagesFor, type Wishes } from './decide.ts';

const T0 = new Date('2026-11-28T12:00:00.000Z');
const later = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);
const item = (kind: WaitingItem['kind'], refId: string, agentId = 'agt_a'): WaitingItem => ({
  kind,
  projectId: 'prj_a',
  agentId,
  refId,
  createdAt: T0.toISOString(),
  title: refId,
});
const seen = (
  items: readonly WaitingItem[],
  known: readonly KnownNotification[] = [],
  now = T0,
  since = new Date(0),
) =>
  compare(inboxEntries(items), new Map(known.map((one) => [one.key, one])), { now, since, isComplete: true });
const known = (key: string, more: Partial<KnownNotification> = {}): KnownNotification => ({
  key,
  category: 'failure',
  projectId: 'prj_a',
  agentId: 'agt_a',
  state: 'told',
  dueAt: null,
  toldAt: T0,
  overAt: null,
  ...more,
});

test('what one failure has caused is one notification, and a failure that follows is the same', () => {
  const caused = [item('failed_run', 'run_1'), item('blocked_task', 'tsk_1'), item('unread', 'agt_a')];
  expect(seen(caused).opened.map(({ key, dueAt }) => [key, dueAt])).toEqual([
    ['failure:prj_a/agt_a', later(20)],
  ]);
  const again = seen([item('failed_run', 'run_2')], [known('failure:prj_a/agt_a')]);
  expect(again).toEqual({ opened: [], over: [] });
});

test('mentions in comments are told once for each task', () => {
  const comment = (refId: string, taskId: string) => {
    const { agentId: _none, ...mention } = item('mention', refId);
    return { ...mention, taskId };
  };
  const opened = seen([
    comment('cmt_1', 'tsk_1'),
    comment('cmt_2', 'tsk_1'),
    comment('cmt_3', 'tsk_2'),
  ]).opened;
  expect(opened.map(({ key, agentId }) => [key, agentId])).toEqual([
    ['mention:prj_a/tsk_2', null],
    ['mention:prj_a/tsk_1', null],
  ]);
});

test('a failure that returns within ten minutes is still told, later it is told anew', () => {
  const over = known('failure:prj_a/agt_a', { state: 'over', overAt: T0 });
  expect(seen([item('failed_run', 'run_2')], [over], later(599)).opened).toMatchObject([{ state: 'told' }]);
  expect(seen([item('failed_run', 'run_2')], [over], later(600)).opened).toMatchObject([
    { state: 'waiting' },
  ]);
});

test('an answer after the chat was read is told anew', () => {
  const read = known('answer:prj_a/agt_a', { category: 'answer', state: 'over', overAt: T0 });
  expect(seen([item('unread', 'agt_a')], [read], later(5)).opened).toMatchObject([{ state: 'waiting' }]);
});

test('what is older than the first channel is never told', () => {
  expect(seen([item('question', 'q')], [], later(60), later(1)).opened).toMatchObject([{ state: 'passed' }]);
});

test('what is gone is over; of a long inbox only what was read to its end', () => {
  const open = new Map(
    [
      known('question:q', { state: 'waiting', category: 'question' }),
      known('failure:prj_a/agt_b', { state: 'waiting' }),
      known('answer:prj_a/agt_b', { state: 'waiting', category: 'answer' }),
    ].map((one) => [one.key, one]),
  );
  const over = (isComplete: boolean, ...items: WaitingItem[]) =>
    compare(inboxEntries(items), open, { now: T0, since: new Date(0), isComplete }).over;
  expect(over(true)).toEqual([...open.keys()]);
  expect(over(false, item('question', 'other'))).toEqual([]);
  expect(over(false, item('failed_run', 'run_1'))).toEqual(['question:q']);
  expect(over(false, item('unread', 'agt_c', 'agt_c'))).toEqual(['question:q', 'failure:prj_a/agt_b']);
});

const sends = { sends: true, inQuiet: false };
const wishes: Wishes = {
  rules: {
    question: sends,
    approval: sends,
    review: sends,
    failure: sends,
    blocked: sends,
    mention: sends,
    answer: { sends: false, inQuiet: false },
  },
  quiet: null,
};
const due = (
  category: KnownNotification['category'],
  attention: { projectId: string | null }[] = [],
  more: Partial<Wishes> = {},
) => decideDue({ category, projectId: 'prj_a' }, { ...wishes, ...more }, attention, T0);

test('where the person looks decides: a card waits, the rest was seen', () => {
  expect(due('question')).toBe('tell');
  expect(due('question', [{ projectId: 'prj_b' }])).toBe('tell');
  expect(due('question', [{ projectId: 'prj_a' }])).toEqual({ later: later(15) });
  expect(due('failure', [{ projectId: null }])).toBe('pass');
  expect(due('answer')).toBe('pass');
});

test('in quiet hours it waits for their end, unless it is wanted there', () => {
  const quiet = { timeZone: 'UTC', from: 11 * 60, to: 13 * 60, days: [6] };
  expect(due('failure', [], { quiet })).toEqual({ later: later(3_600) });
  const rules = { ...wishes.rules, failure: { sends: true, inQuiet: true } };
  expect(due('failure', [], { quiet, rules })).toBe('tell');
});

test('each card is a message, the rest are one, and a channel gets what it wants', () => {
  const told = [
    known('question:q', { category: 'question' }),
    known('failure:a'),
    known('blocked_task:t', { category: 'blocked' }),
  ];
  expect(messagesFor(told, ['question', 'failure', 'blocked'])).toEqual([
    ['question:q'],
    ['failure:a', 'blocked_task:t'],
  ]);
  expect(messagesFor(told, ['approval'])).toEqual([]);
});
