import fc from 'fast-check';
import { expect, it } from 'vitest';
import { indexDocument, queryTerms } from './index-terms.ts';

const of = (text: string, agentId = 'agt_a') =>
  indexDocument({ agentId, createdAt: new Date('2026-05-08T10:00:00Z'), actor: 'Ann', texts: [text] });

it('a document holds every term of its text, its actor and its month', () => {
  const { terms } = of('We adopted two puppies. 猫カフェ');
  for (const text of ['adoption puppy', 'ann', 'May 2026', 'カフェ'])
    for (const { hash } of queryTerms('agt_a', [text])) expect(terms).toContain(hash);
});

it('a term stands there as often as it occurs, six times at most, and the length counts all', () => {
  const [{ hash } = { hash: 0 }] = queryTerms('agt_a', ['violin']);
  const count = (text: string) => of(text).terms.filter((term) => term === hash).length;
  expect([count('violin'), count('violin violins'), count('violin '.repeat(20))]).toEqual([1, 2, 6]);
  expect(of('violin '.repeat(20)).length).toBe(21);
});

it('the same text of another agent has other terms, which differ by one constant', () => {
  const [mine, theirs] = [of('a walk by the river').terms, of('a walk by the river', 'agt_b').terms];
  expect(mine.filter((term) => theirs.includes(term))).toEqual([]);
  expect(new Set(mine.map((term, index) => term ^ (theirs[index] ?? 0))).size).toBe(1);
});

it('of a text of any length a bounded number of integers of Postgres', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200, size: 'max' }),
      fc.integer({ min: 1, max: 200 }),
      (text, times) => {
        const { terms, length } = of(`${text} `.repeat(times));
        expect(length).toBeLessThanOrEqual(4_000);
        expect(terms.length).toBeLessThanOrEqual(4_002);
        for (const term of terms) expect(term | 0).toBe(term);
      },
    ),
  );
});

it('of a long text the beginning alone is read', () => {
  const [{ hash } = { hash: 0 }] = queryTerms('agt_a', ['violin']);
  expect(of(`${'the '.repeat(9_000)}violin`).terms).toContain(hash);
  expect(of(`${'the '.repeat(11_000)}violin`).terms).not.toContain(hash);
});

it('a question has each of its terms once, at most 64, and pairs before single characters', () => {
  const terms = queryTerms('agt_a', ['猫と猫', 'violin violins']);
  expect(terms.map(({ text }) => text)).toEqual(['猫と', 'と猫', 'violin', '猫']);
  expect(queryTerms('agt_a', [Array.from({ length: 200 }, (_, n) => `w${n}`).join(' ')])).toHaveLength(64);
});
