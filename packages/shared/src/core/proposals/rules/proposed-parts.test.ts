import { expect, test } from 'vitest';
import { chosenParts, misplacedPart } from './proposed-parts.ts';

const part = (title: string, ...dependsOn: number[]) => ({ title, dependsOn });
const CHAIN = [part('a'), part('b', 1), part('c', 2), part('d', 1, 3)];

test('a part waits for parts before it only', () => {
  expect(misplacedPart(CHAIN)).toBeUndefined();
  expect(misplacedPart([part('a', 1)])).toBe(1);
  expect(misplacedPart([part('a'), part('b', 3), part('c')])).toBe(2);
});

test('all are chosen, or some, in the order of the list', () => {
  expect(chosenParts(CHAIN, undefined)).toEqual(CHAIN);
  expect(chosenParts(CHAIN, [{ n: 4 }, { n: 1, title: 'A' }])).toEqual([part('A'), part('d', 1)]);
  expect(chosenParts(CHAIN, [{ n: 5 }])).toBeUndefined();
});

test('the order stays when a part between two is not chosen', () => {
  expect(chosenParts(CHAIN, [{ n: 1 }, { n: 3 }])).toEqual([part('a'), part('c', 1)]);
  expect(chosenParts(CHAIN, [{ n: 3 }, { n: 4 }])).toEqual([part('c'), part('d', 1)]);
});
