import { expect, test } from 'vitest';
import { LatestSave } from './latest-save.ts';

test('one save at a time; what changes meanwhile is in the next one, once', async () => {
  let value = 0;
  const saved: number[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const saves = new LatestSave(async () => {
    const now = value;
    await gates[saved.length]?.promise;
    saved.push(now);
  });
  const first = saves.save();
  value = 1;
  const second = saves.save();
  value = 2;
  const third = saves.save();
  gates[0]?.resolve();
  await first;
  expect(saved).toEqual([0]);
  gates[1]?.resolve();
  await Promise.all([second, third]);
  expect(saved).toEqual([0, 2]);
  value = 3;
  await saves.save();
  expect(saved).toEqual([0, 2, 3]);
});
