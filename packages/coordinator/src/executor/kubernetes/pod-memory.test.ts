import { expect, test } from 'vitest';
import { podMemoryMb } from './pod-memory.ts';

test.each([
  [['65536Ki'], 64],
  [['1Mi', '512Ki'], 2],
  [['1Gi'], 1_024],
  [['2000000'], 2],
  [[], undefined],
])('%j is so many MiB: %s', (quantities, expected) => {
  const containers = quantities.map((memory) => ({ usage: { memory, cpu: '1n' } }));
  expect(podMemoryMb({ containers })).toBe(expected);
});

test('a cluster that measures nothing says nothing', () => {
  expect(podMemoryMb(undefined)).toBeUndefined();
});
