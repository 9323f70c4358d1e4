import { expect, test } from 'vitest';
import { joinCuts, MAX_PAGES, olderPages } from './older-pages.ts';

const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, second)).toISOString();
const read = { count: 1, oldest: at(8), hasMore: true };

test('older pages are read down to the oldest loaded message, and only so many by themselves', () => {
  expect(olderPages({ count: 0, oldest: undefined, hasMore: false }, at(0), MAX_PAGES)).toBe('none');
  expect(olderPages(read, at(5), MAX_PAGES)).toBe('read');
  expect(olderPages({ ...read, oldest: at(5) }, at(5), MAX_PAGES)).toBe('none');
  expect(olderPages({ ...read, hasMore: false }, undefined, MAX_PAGES)).toBe('none');
  expect(olderPages({ ...read, count: MAX_PAGES - 1 }, undefined, MAX_PAGES)).toBe('read');
  expect(olderPages({ ...read, count: MAX_PAGES }, undefined, MAX_PAGES)).toBe('cut');
  expect(olderPages({ ...read, count: MAX_PAGES }, undefined, 2 * MAX_PAGES)).toBe('read');
});

test('several lists that are cut are shown further together', () => {
  const asked: string[] = [];
  const cut = (name: string, second: number) => ({ at: at(second), showMore: () => void asked.push(name) });
  expect(joinCuts([undefined, undefined])).toBeUndefined();
  const both = joinCuts([cut('cards', 3), undefined, cut('conversations', 7)]);
  expect(both?.at).toBe(at(7));
  both?.showMore();
  expect(asked).toEqual(['cards', 'conversations']);
});
