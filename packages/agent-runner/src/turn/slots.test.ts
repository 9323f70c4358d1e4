import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

/** Works that end when the test says so. */
function works(slots: Slots, count: number) {
  const begun: number[] = [];
  const ends = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const runs = ends.map(({ promise }, n) =>
    slots.run(() => {
      begun.push(n);
      return promise.then(() => n);
    }),
  );
  return { begun, ends, runs };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('as many as there are places run at once, the others in the order in which they came', async () => {
  const { begun, ends, runs } = works(new Slots(2), 4);
  await settled();
  expect(begun).toEqual([0, 1]);
  ends[1]?.resolve();
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  for (const { resolve } of ends) resolve();
  expect(await Promise.all(runs)).toEqual([0, 1, 2, 3]);
});

test('a work that fails gives its place back', async () => {
  const slots = new Slots(1);
  const { ends, runs } = works(slots, 2);
  ends[0]?.reject(new Error('no'));
  await expect(runs[0]).rejects.toThrow('no');
  ends[1]?.resolve();
  expect(await runs[1]).toBe(1);
  expect(await slots.run(async () => 'free again')).toBe('free again');
});
