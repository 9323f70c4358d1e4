import type { Approval } from '@aizuchi/shared/contract/approval';
import type { Question } from '@aizuchi/shared/contract/question';
import type { InfiniteData } from '@tanstack/react-query';
import type { ReadPages } from '../queries/older-pages.ts';

/** What a person is asked: a question card or an approval. Their lists are kept in the same way. */
export type Card = Approval | Question;

/** Newest first, as the server lists them. */
export interface CardPage<C extends Card> {
  readonly cards: readonly C[];
  readonly nextCursor: string | null;
}
export type CardPages<C extends Card> = InfiniteData<CardPage<C>, string | undefined>;
type Read<C extends Card> = Pick<CardPages<C>, 'pages'> | undefined;

export const cardId = (card: Card): string => ('toolUseId' in card ? card.toolUseId : card.id);

/** Each card once: a pending one that was added on top may come with its own page, too. */
export function cardsOf<C extends Card>(data: Read<C>): readonly C[] {
  const all = (data?.pages ?? []).flatMap(({ cards }) => cards);
  return [...new Map(all.map((card) => [cardId(card), card])).values()];
}

/**
 * The cards since then, and all that are pending; oldest first. `since`: when the oldest loaded message was created;
 * undefined when the whole chat is loaded.
 */
export function chatCards<C extends Card>(data: Read<C>, since: string | undefined): readonly C[] {
  return cardsOf(data)
    .filter(({ createdAt, status }) => since === undefined || createdAt >= since || status === 'pending')
    .reverse()
    .sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}

/** How far back the list is read. */
export function readPagesOf<C extends Card>(data: Read<C>): ReadPages {
  const last = data?.pages.at(-1);
  return {
    count: data?.pages.length ?? 0,
    oldest: last?.cards.at(-1)?.createdAt,
    hasMore: last !== undefined && last.nextCursor !== null,
  };
}

/** Adds a new card on top; a known one is replaced only when it is over: it is unchanged, or over already. */
export function withCard<C extends Card>(data: CardPages<C>, card: C): CardPages<C> {
  const isKnown = cardsOf(data).some((known) => cardId(known) === cardId(card));
  if (!isKnown) return withOnTop(data, card);
  return card.status === 'pending' ? data : withChange(data, cardId(card), () => card);
}

/** Takes over cards as the server has them. What is over is never pending again: the response may be the older one. */
export function withRead<C extends Card>(data: CardPages<C>, read: readonly C[]): CardPages<C> {
  return read.toReversed().reduce(withReadCard, data);
}

function withReadCard<C extends Card>(data: CardPages<C>, card: C): CardPages<C> {
  const known = cardsOf(data).find((one) => cardId(one) === cardId(card));
  if (known)
    return card.status === 'pending' && known.status !== 'pending'
      ? data
      : withChange(data, cardId(card), () => card);
  const last = data.pages.at(-1);
  const oldest = last?.cards.at(-1)?.createdAt;
  // It comes with its page.
  const isOlder = last?.nextCursor != null && oldest !== undefined && card.createdAt < oldest;
  return isOlder && card.status !== 'pending' ? data : withOnTop(data, card);
}

export function withChange<C extends Card>(
  data: CardPages<C>,
  id: string,
  change: (card: C) => C,
): CardPages<C> {
  const changed = (card: C) => (cardId(card) === id ? change(card) : card);
  return { ...data, pages: data.pages.map((page) => ({ ...page, cards: page.cards.map(changed) })) };
}

function withOnTop<C extends Card>(data: CardPages<C>, card: C): CardPages<C> {
  const [first, ...rest] = data.pages;
  if (!first) return data;
  return { ...data, pages: [{ ...first, cards: [card, ...first.cards] }, ...rest] };
}
