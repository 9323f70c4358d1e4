import { ACCESS_LEVELS as CONTRACT_LEVELS } from '@aizuchi/shared/contract/agent';
import { expect, test } from 'vitest';
import { ACCESS_LEVELS } from './access-levels.ts';

test('the access levels are those of the contract', () => {
  expect([...ACCESS_LEVELS].sort()).toEqual([...CONTRACT_LEVELS].sort());
});
