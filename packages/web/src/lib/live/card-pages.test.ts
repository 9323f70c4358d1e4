import type { Approval } from '@aizuchi/shared/contract/approval';
import { expect, test } from 'vitest';
import { type CardPages, cardsOf, chatCards, readPagesOf, withRead } from './card-pages.ts';
import { type ListCards, readCardPage } from './card-reads.ts';

const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, second)).toISOString();
const approval = (second: number, status: Approval['status'] = 'denied'): Approval => ({
  id: `a${second}`,
  projectId: 'prj_a',
  agentId: 'agt_a',
  tool: 'Bash',
  kind: 'command',
  summary: 'Run',
  input: {},
  status,
  createdAt: at(second),
});
/** Each page has a cursor, as long as there are more. */
const pages = (hasMore: boolean, ...seconds: readonly number[][]): CardPages<Approval> => ({
  pages: seconds.map((page, index) => ({
    cards: page.map((second) => approval(second)),
    nextCursor: hasMore || index < seconds.length - 1 ? 'next' : null,
  })),
  pageParams: seconds.map(() => undefined),
});
const ids = (cards: readonly Approval[]) => cards.map(({ id }) => id);

test('how far back a list is read', () => {
  expect(readPagesOf(undefined)).toEqual({ count: 0, oldest: undefined, hasMore: false });
  expect(readPagesOf(pages(true, [9, 8], [7]))).toEqual({ count: 2, oldest: at(7), hasMore: true });
  expect(readPagesOf(pages(false, [9, 8]))).toEqual({ count: 1, oldest: at(8), hasMore: false });
});

test('a chat shows the cards since its oldest message and every pending one, oldest first', () => {
  const data = withRead(pages(true, [9, 8], [7, 4]), [approval(2, 'pending')]);
  expect(ids(chatCards(data, at(7)))).toEqual(['a2', 'a7', 'a8', 'a9']);
});

test('what the server has replaces and adds; what is over is never pending again', () => {
  const data = withRead(pages(true, [9, 8]), [approval(10), approval(9, 'pending'), approval(3)]);
  expect(cardsOf(data).map(({ id, status }) => [id, status])).toEqual([
    ['a10', 'denied'],
    ['a9', 'denied'],
    ['a8', 'denied'],
  ]);
});

test('the first page also has the pending cards that are older', async () => {
  const asked: unknown[] = [];
  const list: ListCards<Approval> = (query) => {
    asked.push(query);
    return Promise.resolve(
      query.status === 'pending'
        ? { cards: [approval(9), approval(1, 'pending')], nextCursor: null }
        : { cards: [approval(9), approval(8)], nextCursor: 'c8' },
    );
  };
  const first = await readCardPage(list, undefined);
  expect([ids(first.cards), first.nextCursor]).toEqual([['a1', 'a9', 'a8'], 'c8']);
  expect(asked).toEqual([{ limit: 50 }, { limit: 50, status: 'pending' }]);
  await readCardPage(list, 'c8');
  expect(asked.slice(2)).toEqual([{ limit: 50, cursor: 'c8' }]);
});
