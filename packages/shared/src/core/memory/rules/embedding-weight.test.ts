import { expect, test } from 'vitest';
import { paraphrasesFound, vectorWeight } from './embedding-weight.ts';

/** A vector for each number, that of 0.5 between those of 0 and 1. */
const at = (angle: number) => Float32Array.of(Math.cos(angle), Math.sin(angle));

test('a paraphrase is found when no other text is as near', () => {
  const good = { text: at(0), paraphrase: at(0.1), distractor: at(0.5) };
  const fooled = { text: at(2), paraphrase: at(2.5), distractor: at(2.1) };
  expect(paraphrasesFound([good])).toBe(1);
  expect(paraphrasesFound([good, fooled])).toBe(0.5);
  // Another text says the same as far as this model knows.
  expect(paraphrasesFound([good, { ...fooled, distractor: at(-0.1) }])).toBe(0.5);
  expect(paraphrasesFound([{ text: at(0), paraphrase: at(0), distractor: at(0) }])).toBe(0);
});

test('a model that finds little counts little, one that finds much counts as much as the words', () => {
  expect([0, 0.3, 0.6, 0.9, 1].map((found) => Number(vectorWeight(found).toFixed(2)))).toEqual([
    0.2, 0.2, 0.6, 1, 1,
  ]);
});
