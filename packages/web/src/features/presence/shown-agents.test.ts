import { expect, test } from 'vitest';
import type { AvatarState } from '../../components/Avatar.tsx';
import { shownAgents } from './shown-agents.ts';

const states: Record<string, AvatarState> = { a: 'none', b: 'ready', c: 'none', d: 'failed', e: 'waiting' };
const agents = Object.keys(states).map((id) => ({ id }));
const ids = (most: number, openId?: string) => {
  const { shown, rest } = shownAgents(agents, most, openId, ({ id }) => states[id] ?? 'none');
  return [shown, rest].map((list) => list.map(({ id }) => id).join(''));
};

test('with room for all nobody is left out, and all keep their order', () => {
  expect(ids(5)).toEqual(['abcde', '']);
});

test('who waits or failed is shown before who is asleep, each in its own place', () => {
  expect(ids(3)).toEqual(['bde', 'ac']);
  expect(ids(4)).toEqual(['abde', 'c']);
});

test('the open one is shown, whatever it does', () => {
  expect(ids(1, 'c')).toEqual(['c', 'abde']);
});
