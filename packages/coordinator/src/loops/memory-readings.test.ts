import { createLogger } from '@aizuchi/shared/platform/logger';
import { expect, test } from 'vitest';
import { MemoryReadings } from './memory-readings.ts';

/** Runs that need so much; undefined: it cannot be read. */
function readingsOf(needs: Map<string, number | undefined>) {
  let time = 0;
  let reads = 0;
  const readings = new MemoryReadings({
    handles: () =>
      [...needs].map(([runId, need]) => {
        const memoryMb = async () => {
          reads += 1;
          return need;
        };
        return [runId, { memoryMb }] as const;
      }),
    logger: createLogger('test', { level: 'silent' }),
    now: () => time,
  });
  return {
    /** A beat that is answered, after so many milliseconds, and what it has told. */
    async beat(afterMs: number) {
      time += afterMs;
      readings.changed();
      await readings.settled();
      const changed = readings.changed();
      await readings.settled();
      readings.told(changed);
      return changed;
    },
    readings,
    reads: () => reads,
  };
}

test('it is read soon after the start, then each half minute, and told when it has changed', async () => {
  const needs = new Map<string, number | undefined>([['run_1', 60]]);
  const { beat, reads } = readingsOf(needs);
  expect(await beat(0)).toEqual([{ run_id: 'run_1', memory_mb: 60 }]);
  needs.set('run_1', 90);
  expect(await beat(4_999)).toEqual([]);
  expect(await beat(1)).toEqual([{ run_id: 'run_1', memory_mb: 90 }]);
  expect(reads()).toBe(2);
  expect(await beat(29_999)).toEqual([]);
  expect(reads()).toBe(2);
  expect(await beat(1)).toEqual([]);
  expect(reads()).toBe(3);
});

test('what was not told is told with the next beat', async () => {
  const { readings } = readingsOf(new Map([['run_1', 60]]));
  readings.changed();
  await readings.settled();
  const expected = [{ run_id: 'run_1', memory_mb: 60 }];
  expect(readings.changed()).toEqual(expected);
  expect(readings.changed()).toEqual(expected);
});

test('a run that cannot be read, or is over, has nothing to tell', async () => {
  const needs = new Map<string, number | undefined>([
    ['run_1', undefined],
    ['run_2', 60],
  ]);
  const { beat, readings } = readingsOf(needs);
  expect(await beat(0)).toEqual([{ run_id: 'run_2', memory_mb: 60 }]);
  needs.set('run_2', 70);
  await beat(5_000);
  needs.delete('run_2');
  await beat(0);
  expect(readings.changed()).toEqual([]);
});
