import { expect, test } from 'vitest';
import { decideWarming, WARM_ON_HOVER, type WarmingView } from './warming.ts';

const VIEW: WarmingView = {
  setting: WARM_ON_HOVER.builtin,
  provider: 'builtin',
  isPerWork: false,
  isAwake: false,
  hasFailed: false,
  isOverLimit: false,
  freePlaces: 2,
};
const decide = (changes: Partial<WarmingView>) => decideWarming({ ...VIEW, ...changes });

test.each([
  ['the built-in agent costs nothing', {}, undefined],
  ['others cost, and are left out', { provider: 'claude' }, 'off'],
  ['unless an owner wants it', { provider: 'claude', setting: WARM_ON_HOVER.all }, undefined],
  ['or none at all', { setting: WARM_ON_HOVER.never }, 'off'],
  ['it is there already', { isAwake: true }, 'awake'],
  ['there is nothing to wait for', { isPerWork: true }, 'per_work'],
  ['a start that would fail again writes into the chat', { hasFailed: true }, 'failed'],
  ['so does one that is refused', { isOverLimit: true }, 'over_limit'],
  ['the last place is for who opens a chat', { freePlaces: 1 }, 'no_place'],
] as const)('%s', (_, changes, expected) => {
  expect(decide(changes)).toBe(expected);
});
