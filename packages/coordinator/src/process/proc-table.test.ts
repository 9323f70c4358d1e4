import { expect, test } from 'vitest';
import { parseStat, readStat } from './proc-table.ts';

test('a name with spaces and parentheses does not shift the fields', () => {
  const rest = Array.from({ length: 30 }, (_, index) => 100 + index).join(' ');
  expect(parseStat(`4711 (evil) S 1) Z 1 4700 ${rest}\n`)).toEqual({
    pid: 4711,
    parent: 1,
    group: 4700,
    isZombie: false,
    isStopped: false,
    startTicks: 116,
  });
  // Its last thread has ended.
  expect(parseStat(`4711 (evil) Z 1 4700 ${rest.replace('114', '1')}\n`)?.isZombie).toBe(true);
  expect(parseStat(`4711 (evil) T 1 4700 ${rest}\n`)?.isStopped).toBe(true);
  expect(parseStat('nonsense')).toBeUndefined();
});

test('this process is found with its parent', async () => {
  expect(await readStat(process.pid)).toMatchObject({
    pid: process.pid,
    parent: process.ppid,
    isZombie: false,
  });
  expect(await readStat(2 ** 30)).toBeUndefined();
});
