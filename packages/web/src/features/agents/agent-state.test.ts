import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { Run } from '@aizuchi/shared/contract/run';
import { expect, test } from 'vitest';
import { tellingSession } from './agent-state.ts';
import { newestRuns } from './newest-runs.ts';

const session = (chatStatus: AgentSessionView['chatStatus']): AgentSessionView => ({
  chat: 0,
  task: 0,
  chatStatus,
  since: '2026-11-23T03:00:00.000Z',
});

test('of several sessions a failure comes first, then what waits for a person, then work', () => {
  const first = (...all: AgentSessionView['chatStatus'][]) =>
    tellingSession([undefined, ...all.map(session)])?.chatStatus;
  expect(first('ready', 'busy', 'waiting_for_person', 'failed')).toBe('failed');
  expect(first('ready', 'busy', 'waiting_for_person')).toBe('waiting_for_person');
  expect(first('none', 'ready', 'busy')).toBe('busy');
  expect(first('ending', 'ready')).toBe('ready');
  expect(first()).toBeUndefined();
});

test('the newest runs of all projects come first', () => {
  const run = (id: string, startedAt: string): Run => ({
    id,
    agentId: 'agt_1',
    projectId: 'prj_1',
    purpose: 'chat',
    coordinatorId: null,
    provider: 'builtin',
    pid: null,
    state: 'exited',
    startedAt,
  });
  const one = [run('c', '2026-11-23T03:00:00.000Z'), run('a', '2026-11-23T01:00:00.000Z')];
  const other = [run('b', '2026-11-23T02:00:00.000Z')];
  expect(newestRuns([one, other, []], 2).map(({ id }) => id)).toEqual(['c', 'b']);
});
