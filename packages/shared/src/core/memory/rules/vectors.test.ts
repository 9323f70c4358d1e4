import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dotAt, unitVector } from './vectors.ts';

const numbers = (length: number) =>
  fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: length, maxLength: length });

test('the dot product is that of the definition, for every length and place', () => {
  const given = fc.integer({ min: 1, max: 40 }).chain((length) => fc.tuple(numbers(length), numbers(length)));
  fc.assert(
    fc.property(given, fc.integer({ min: 0, max: 5 }), ([a, b], offset) => {
      const block = Float32Array.from([...Array<number>(offset).fill(9), ...b, 9]);
      const expected = a.reduce(
        (sum, value, index) => sum + Math.fround(value) * Math.fround(b[index] ?? 0),
        0,
      );
      expect(dotAt(Float32Array.from(a), block, offset)).toBeCloseTo(expected, 5);
    }),
  );
});

test('a vector gets length 1; one without length, or of what is no number, is none', () => {
  expect([...(unitVector([3, 4]) ?? [])]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
  expect(unitVector([0, 0])).toBeNull();
  expect(unitVector([])).toBeNull();
  expect(unitVector([Number.NaN, 1])).toBeNull();
  expect(unitVector([Number.POSITIVE_INFINITY, 1])).toBeNull();
});
