import { expect, test } from 'vitest';
import { coverage, markedPart, marksIn, searchedTerms } from './marks.ts';

const marked = (query: string, text: string) =>
  marksIn(searchedTerms(query), text).map(({ start, end }) => text.slice(start, end));

test('a word is marked in every form, as it was written', () => {
  expect(marked('adopt puppy', 'We ADOPTED two Puppies; the puppet stayed.')).toEqual(['ADOPTED', 'Puppies']);
  expect(marked('cafe', 'The Café is closed')).toEqual(['Café']);
});

test('of Japanese the pairs that stand in the query are marked, in either kana', () => {
  expect(marked('締め日', '締め日は口座の時刻帯で決める。')).toEqual(['締め日']);
  expect(marked('締め日', '月末の締めは 25 日ではなく末日。')).toEqual(['締め']);
  expect(marked('リンゴ', 'りんごのジャム')).toEqual(['りんご']);
  expect(marked('猫', '昨日は猫カフェに行った')).toEqual(['猫']);
});

test('what is written in wide letters is marked where it stands', () => {
  expect(marked('api', 'これはＡＰＩです')).toEqual(['ＡＰＩ']);
});

test('coverage is the share of the query that a text holds', () => {
  const terms = searchedTerms('締め日');
  expect(coverage(terms, '締め日は末日')).toBe(1);
  expect(coverage(terms, '月末の締め')).toBeCloseTo(1.3 / 2.6);
  expect(coverage(terms, '25 日')).toBeLessThan(1 / 3);
  expect(coverage(searchedTerms('…'), 'anything')).toBe(0);
});

test('of a long text the part is shown that begins shortly before its first mark', () => {
  const text = `${'a '.repeat(1_000)}needle${' b'.repeat(1_000)}`;
  const { text: part, marks } = markedPart(searchedTerms('needle'), text, 300);
  expect(part.length).toBeLessThanOrEqual(302);
  expect(marks.map(({ start, end }) => part.slice(start, end))).toEqual(['needle']);
  expect(part.startsWith('…') && part.endsWith('…')).toBe(true);
});

test('a part never cuts a character of two units', () => {
  for (let most = 100; most < 104; most += 1) {
    const { text } = markedPart(searchedTerms('x'), `${'😀'.repeat(200)} x ${'😀'.repeat(200)}`, most);
    expect(text.isWellFormed()).toBe(true);
  }
});
