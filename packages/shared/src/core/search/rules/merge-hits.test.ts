import { expect, test } from 'vitest';
import { type FoundHit, mergeHits } from './merge-hits.ts';

const hit = (key: string, coverage = 1, more: Partial<FoundHit> = {}): FoundHit => ({
  key,
  coverage,
  createdAt: new Date('2026-01-01T00:00:00Z'),
  hitSources: ['words'],
  ...more,
});
const keys = (lists: FoundHit[][]) => mergeHits(lists).map(({ key }) => key);

test('the places in the lists decide, then how much of the query is held, then the age', () => {
  const newer = { createdAt: new Date('2026-02-01T00:00:00Z') };
  expect(
    keys([
      [hit('a1', 0.5), hit('a2')],
      [hit('b1'), hit('b2', 1, newer)],
    ]),
  ).toEqual(['b1', 'a1', 'b2', 'a2']);
});

test('what two searches found is there once, at its better place, with the legs of both', () => {
  const merged = mergeHits([
    [hit('x'), hit('same', 1, { hitSources: ['words', 'neighbour'] })],
    [hit('same', 1, { hitSources: ['words', 'ngram'] })],
  ]);
  expect(merged.map(({ key }) => key)).toEqual(['same', 'x']);
  expect(merged[0]?.hitSources).toEqual(['words', 'neighbour', 'ngram']);
});

test('a text that holds much less of the query than the best one is left out, unless a time or a meaning found it', () => {
  expect(
    keys([
      [
        hit('weak', 0.2),
        hit('none', 0, { hitSources: ['neighbour'] }),
        hit('best'),
        hit('half', 0.5),
        hit('dated', 0, { hitSources: ['about_time'] }),
      ],
    ]),
  ).toEqual(['best', 'half', 'dated']);
});
