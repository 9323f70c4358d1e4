import { expect, test } from 'vitest';
import { matchingModels } from './matching-models.ts';

const MODELS = [{ id: 'llama3.2' }, { id: 'qwen3:8b', name: 'Small' }, { id: 'qwen3:32b', name: 'Large' }];

test.each([
  ['', ['llama3.2', 'qwen3:8b', 'qwen3:32b']],
  ['QWEN', ['qwen3:8b', 'qwen3:32b']],
  ['large', ['qwen3:32b']],
  [' qwen3:8b ', ['llama3.2', 'qwen3:8b', 'qwen3:32b']],
  ['gpt', ['llama3.2', 'qwen3:8b', 'qwen3:32b']],
])('%j leaves %j to choose from', (typed, left) => {
  expect(matchingModels(MODELS, typed).map(({ id }) => id)).toEqual(left);
});
