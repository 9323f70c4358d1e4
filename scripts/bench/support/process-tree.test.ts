import { expect, test } from 'vitest';
import { percentOfCore, pidsOfTree, treeOf, usageOf } from './process-tree.ts';

const parents = new Map([
  [1, 0],
  [10, 1],
  [11, 10],
  [12, 11],
  [20, 1],
  [21, 20],
]);

test('a tree is its roots and everything below them, each once', () => {
  expect([...treeOf([10, 11], parents)].sort()).toEqual([10, 11, 12]);
  expect([...treeOf([20], parents)].sort()).toEqual([20, 21]);
});

test('a root that has ended is in no tree', () => {
  expect([...treeOf([99], parents)]).toEqual([]);
});

test('the share of a core is of the time that passed', () => {
  const usage = (cpuSeconds: number) => ({ processes: 1, cpuSeconds, memoryMb: 0 });
  expect(percentOfCore(usage(10), usage(10.6), 60)).toBeCloseTo(1, 8);
});

test('this process is in its own tree, and uses time and memory', async () => {
  const pids = await pidsOfTree([process.pid]);
  expect(pids).toContain(process.pid);
  const usage = await usageOf([process.pid]);
  expect(usage.processes).toBe(1);
  expect(usage.cpuSeconds).toBeGreaterThan(0);
  expect(usage.memoryMb).toBeGreaterThan(10);
});
