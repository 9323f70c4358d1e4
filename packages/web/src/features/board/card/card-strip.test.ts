import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { expect, test } from 'vitest';
import { mergeStrips, stripOf, type WorkFacts } from './card-strip.ts';

const at = '2026-11-21T12:00:00.000Z';
const session = (chatStatus: AgentSessionView['chatStatus'], task = 0): AgentSessionView => ({
  chat: 1,
  task,
  chatStatus,
  since: at,
});
const facts = (status: WorkFacts['task']['status'], rest: Partial<WorkFacts> = {}): WorkFacts => ({
  task: { status, assigneeId: 'agt_1' },
  run: undefined,
  queuedSince: undefined,
  askingSince: undefined,
  session: undefined,
  unfinished: [],
  ...rest,
});
const running = { state: 'running', startedAt: at };

test.each<[WorkFacts, string | undefined]>([
  [facts('in_progress', { run: running }), 'working'],
  [facts('in_progress', { run: { ...running, state: 'starting' } }), 'starting'],
  [facts('in_progress', { run: { ...running, waitsForAgentId: 'agt_2' } }), 'queued'],
  [facts('in_progress', { run: running, askingSince: at }), 'asks'],
  [facts('blocked', { askingSince: at }), 'asks'],
  [facts('in_progress', { queuedSince: at }), 'queued'],
  [facts('in_progress', { session: session('ready', 1) }), 'working'],
  [facts('in_progress', { session: session('failed') }), 'failed'],
  [facts('in_progress', { session: session('busy') }), undefined],
  [facts('blocked', { session: session('failed') }), undefined],
  [facts('todo', { unfinished: ['A', 'B'] }), 'depends'],
  [facts('todo', { task: { status: 'todo' } as WorkFacts['task'], unfinished: ['A'] }), undefined],
  [facts('todo', { session: session('ready', 1) }), undefined],
  [facts('done', { run: running }), undefined],
])('%o shows %s', (known, kind) => {
  expect(stripOf(known)?.kind).toBe(kind);
});

test('a card names one of the tasks that it waits for, and how many others', () => {
  expect(stripOf(facts('todo', { unfinished: ['A', 'B', 'C'] }))).toEqual({
    kind: 'depends',
    waitsFor: 'A',
    others: 2,
  });
});

test('strips that say the same stay the same objects', () => {
  const before = new Map([
    ['a', { kind: 'working' as const, since: at }],
    ['b', { kind: 'asks' as const, since: at }],
  ]);
  expect(mergeStrips(before, new Map([...before].map(([id, strip]) => [id, { ...strip }])))).toBe(before);
  const now = mergeStrips(before, new Map([['a', { kind: 'working' as const, since: at }]]));
  expect([...now.keys()]).toEqual(['a']);
  expect(now.get('a')).toBe(before.get('a'));
});
