import { expect, test } from 'vitest';
import type { AvatarState } from '../../components/Avatar.tsx';
import { shownAgents } from './shown-agents.ts';

const states: Record<string, AvatarState> = { a: 'none', b: 'ready', c: 'none', d: 'failed', e: 'waiting' };
const agents = Object.keys(states).map((id) => ({ id }));
const ids = (most: number, openId?: string) => {
  const { shown, rest } = shownAgents(agents, most, openId, ({ id }) => states[id] ?? 'none');
  return [shown, rest].map((list) => list.map(({ id }) => id).join(''));
};

test('with room for all, all are shown in their order', () => {
  expect(ids(5)).toEqual(['abcde', '']);
});

test('waiting and failed agents are shown before idle ones, in their original order', () => {
  expect(ids(3)).toEqual(['bde', 'ac']);
  expect(ids(4)).toEqual(['abde', 'c']);
});

test('the agent of the open chat is always shown', () => {
  expect(ids(1, 'c')).toEqual(['c', 'abde']);
});
