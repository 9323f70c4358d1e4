import { expect, test } from 'vitest';
import { sourceStack } from './source-stack.ts';

test('a stack without maps, a long message and a broken address stay as they are', () => {
  const stacks = [
    'Error: x\n    at run (file:///nowhere/dist/rest-api.js:10:5)',
    `Error: ${'file://'.repeat(20_000)}\n    at run (file:///nowhere/a.js:1:1)`,
    'Error: x\n    at run (file://%%%/a.js:1:1)',
    'Error: see file:///nowhere/a.js:1:1',
  ];
  for (const stack of stacks) expect(sourceStack(stack)).toBe(stack);
});
