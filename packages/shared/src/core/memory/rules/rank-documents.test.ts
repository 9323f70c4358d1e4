import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bm25, idf } from './bm25.ts';
import { fuse } from './fuse.ts';
import { queryTerms } from './index-terms.ts';
import { type Candidate, isNamedIn, rankDocuments } from './rank-documents.ts';

const corpus = { documents: 1_000, meanLength: 10 };
const asked = (text: string, documents = 10) =>
  queryTerms('agt', [text]).map((term) => ({ ...term, documents }));
const [violin, river] = ['violin', 'river'].map((text) => queryTerms('agt', [text])[0]?.hash ?? 0);
const day = (n: number) => new Date(Date.UTC(2026, 0, n));
const candidate = (
  id: number,
  hashes: readonly (number | undefined)[],
  more: Partial<Candidate> = {},
): Candidate => ({
  id,
  length: 10,
  createdAt: day(1),
  actor: null,
  hasEnded: false,
  sum: id,
  counts: new Map(hashes.flatMap((hash) => (hash === undefined ? [] : [[hash, 1]]))),
  ...more,
});
const rank = (candidates: Candidate[], more: Partial<Parameters<typeof rankDocuments>[0]> = {}) =>
  rankDocuments({
    corpus,
    terms: asked('violin river'),
    candidates,
    neighbours: new Map(),
    text: 'violin river',
    found: {},
    ...more,
  });
const ids = (hits: { id: number }[]) => hits.map(({ id }) => id);

it('what says the same again goes behind all others, unless another one has said it', () => {
  const asked = Array.from({ length: 20 }, (_, n) =>
    candidate(n + 2, [violin, river], { sum: 7, createdAt: day(n + 2) }),
  );
  const told = candidate(1, [violin], { sum: 8 });
  const other = candidate(30, [violin], { sum: 7, actor: 'Mel' });
  const hits = rank([told, other, ...asked]);
  expect(
    ids(hits)
      .slice(0, 3)
      .toSorted((a, b) => a - b),
  ).toEqual([1, 21, 30]);
  expect(hits).toHaveLength(22);
  const scores = hits.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
});

it('the rarer the term and the shorter the document, the better; more of a term helps less and less', () => {
  expect(idf(corpus, 1)).toBeGreaterThan(idf(corpus, 500));
  expect(idf(corpus, 5_000)).toBeGreaterThanOrEqual(0);
  const score = (length: number, count: number) =>
    bm25(corpus, [{ hash: 1, documents: 10, weight: 1 }], { length, counts: new Map([[1, count]]) });
  expect(score(5, 1)).toBeGreaterThan(score(50, 1));
  expect(score(10, 2) - score(10, 1)).toBeGreaterThan(score(10, 3) - score(10, 2));
});

it('a document with both terms before those with one, none without any', () => {
  expect(ids(rank([candidate(1, [violin]), candidate(2, [violin, river]), candidate(3, [])]))).toEqual([
    2, 1,
  ]);
});

it('what was said next to a hit is found by it', () => {
  const hits = rank([candidate(1, [violin, river]), candidate(2, [])], { neighbours: new Map([[1, [2]]]) });
  expect(ids(hits)).toEqual([1, 2]);
  expect(hits[1]?.legs).toEqual(['neighbour']);
});

it('of equals, what the named one said comes first', () => {
  const hits = rank(
    [candidate(2, [violin], { actor: 'Ben' }), candidate(1, [violin], { actor: 'Ann Lee' })],
    {
      text: "What is Ann's violin like?",
    },
  );
  expect(ids(hits)).toEqual([1, 2]);
});

it('of what says the same the newest comes first, but not what another said or what fits much less', () => {
  const by = (id: number, n: number, actor: string) => candidate(id, [violin], { createdAt: day(n), actor });
  expect(ids(rank([by(3, 1, 'Ann'), by(2, 2, 'Ann'), by(1, 3, 'Ann')]))).toEqual([1, 2, 3]);
  expect(ids(rank([by(3, 1, 'Ann'), by(1, 3, 'Ben')]))).toEqual([3, 1]);
  const hits = rank([candidate(1, [violin, river]), candidate(2, [violin], { createdAt: day(5) })]);
  expect(ids(hits)).toEqual([1, 2]);
});

it('a name is meant by its first word, in any case, but not inside another word', () => {
  expect(isNamedIn('Ann Lee', "where is ann's bike")).toBe(true);
  expect(isNamedIn('Ann', 'Annual report')).toBe(false);
  expect(isNamedIn('沙織', '沙織さんの仕事')).toBe(true);
  expect(isNamedIn('a.*', 'aaa')).toBe(false);
});

it('fusion: what two legs find is before what one finds, and the order of legs does not matter', () => {
  const legs = fc.array(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      weight: fc.double({ min: 0.1, max: 1, noNaN: true }),
      ids: fc.uniqueArray(fc.integer({ min: 1, max: 30 })),
    }),
  );
  expect(ids(fuse([1, 2].map((n) => ({ name: `l${n}`, weight: 1, ids: [n, 9] }))))).toEqual([9, 2, 1]);
  fc.assert(
    fc.property(legs, (given) => {
      const fused = fuse(given);
      expect(new Set(ids(fused))).toEqual(new Set(given.flatMap((leg) => leg.ids)));
      const scores = fused.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    }),
  );
});

it('what has ended goes after what is so, also when it is newer or fits better, and is still found', () => {
  const now = candidate(1, [violin]);
  const ended = candidate(2, [violin, river], { createdAt: day(9), hasEnded: true });
  expect(ids(rank([now, ended]))).toEqual([1, 2]);
  expect(ids(rank([candidate(3, [violin, river]), ended]))).toEqual([3, 2]);
  expect(ids(rank([ended]))).toEqual([2]);
});
