import { expect, test } from 'vitest';
import {
  agentsIn,
  chatToOpen,
  countsOf,
  mostTelling,
  nowOf,
  type OverviewAgent,
  unreadIn,
} from './overview.ts';

const agent = (agentId: string, state: OverviewAgent['state'], unread = 0): OverviewAgent => ({
  projectId: 'prj_a',
  agentId,
  name: agentId,
  state,
  since: '2026-11-28T00:00:00.000Z',
  unread,
});
const agents = [
  agent('a', 'none'),
  agent('b', 'busy', 2),
  agent('c', 'ready', 1),
  agent('d', 'failed'),
  agent('e', 'busy'),
];

test('what is said of a project: who works, waits and failed, and what is unread', () => {
  expect(countsOf(agents)).toEqual([
    { state: 'busy', count: 2 },
    { state: 'failed', count: 1 },
  ]);
  expect(unreadIn(agents)).toBe(3);
  expect(agentsIn({ projects: [], agents }, 'prj_b')).toEqual([]);
});

test('where there is no room for all, what failed and what works stays', () => {
  expect(mostTelling(agents, 4).map(({ agentId }) => agentId)).toEqual(['d', 'b', 'e', 'c']);
});

test('what happens now begins with what waits for the person, the longest first', () => {
  const older = { ...agent('f', 'busy'), since: '2026-11-27T23:00:00.000Z' };
  const all = [...agents, older, agent('g', 'waiting_for_person'), agent('h', 'queued')];
  expect(nowOf(all).map(({ agentId }) => agentId)).toEqual(['g', 'd', 'f', 'b', 'e', 'h']);
});

test('the chat to open: one with something unread, of this project if there is one, else the one that says most', () => {
  const elsewhere = { ...agent('z', 'failed', 3), projectId: 'prj_b' };
  const read = agents.map((one) => ({ ...one, unread: 0 }));
  const idOf = (all: readonly OverviewAgent[], projectId?: string) => chatToOpen(all, projectId)?.agentId;
  expect(idOf([elsewhere, ...agents], 'prj_a')).toBe('b');
  expect(idOf([...read, elsewhere], 'prj_a')).toBe('z');
  expect(idOf([{ ...elsewhere, unread: 0 }, ...read], 'prj_a')).toBe('d');
  expect(idOf(read)).toBe('d');
  expect(idOf([])).toBeUndefined();
});
