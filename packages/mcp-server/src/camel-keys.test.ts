import { expect, test } from 'vitest';
import { camelKeys, snakeKeys } from './camel-keys.ts';

test('arguments become camelCase, and undefined values are left out', () => {
  const args: { boot_id: string; start_ticks?: number; stderr_tail?: string | undefined } = {
    boot_id: 'b',
    stderr_tail: undefined,
  };
  expect(camelKeys(args)).toEqual({ bootId: 'b' });
});

test('results become snake_case, and undefined or null values are left out', () => {
  expect(snakeKeys({ agentId: 'a', workingDirectoryMade: false, model: null, runId: undefined })).toEqual({
    agent_id: 'a',
    working_directory_made: false,
  });
});
