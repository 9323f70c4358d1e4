import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import { type Card, type CardPage, type CardPages, cardId, cardsOf, withRead } from './card-pages.ts';

/** Reads a page of the cards of one agent in one project, newest first. */
export type ListCards<C extends Card> = (query: {
  readonly limit: number;
  readonly cursor?: string;
  readonly status?: C['status'];
}) => Promise<CardPage<C>>;

const CARDS_PAGE = 50;
/** So many are read for what a frame leaves out. */
const FRAME_READ = 10;

/** A page of a chat. The first one also has the pending cards that are older: somebody waits for each of them. */
export async function readCardPage<C extends Card>(
  list: ListCards<C>,
  cursor: string | undefined,
): Promise<CardPage<C>> {
  const page = await list({ limit: CARDS_PAGE, ...(cursor !== undefined && { cursor }) });
  if (cursor !== undefined || page.nextCursor === null) return page;
  const listed = new Set(page.cards.map(cardId));
  const { cards: pending } = await list({ limit: CARDS_PAGE, status: 'pending' });
  return { ...page, cards: [...pending.filter((card) => !listed.has(cardId(card))), ...page.cards] };
}

interface FrameRead<C extends Card> {
  readonly client: QueryClient;
  readonly queryKey: QueryKey;
  readonly list: ListCards<C>;
  /** That of the frame. */
  readonly status: C['status'];
  readonly id: string;
}

/** By query and status: the cards that the next read is for, while one runs. */
const wanted = new WeakMap<Query, Map<string, Set<string>>>();

/**
 * A frame has no exact times, no large inputs and no reasons. They are read in one small call, of the newest cards with
 * this status; frames that come meanwhile cause one more call, whatever their number. A list that is not on the screen
 * is read when it is.
 */
export function readWhatFrameLacks<C extends Card>(read: FrameRead<C>): void {
  const { client, queryKey, status, id } = read;
  const query = client.getQueryCache().find({ queryKey, exact: true });
  // The first read is running: patchQuery repeats it.
  if (query?.state.data === undefined) return;
  if (!query.isActive()) {
    void client.invalidateQueries({ queryKey, exact: true, refetchType: 'none' });
    return;
  }
  const ofQuery = wanted.get(query) ?? new Map<string, Set<string>>();
  wanted.set(query, ofQuery);
  const running = ofQuery.get(status);
  if (running) {
    running.add(id);
    return;
  }
  const ids = new Set([id]);
  ofQuery.set(status, ids);
  void readUntilNone(read, ids).finally(() => ofQuery.delete(status));
}

async function readUntilNone<C extends Card>(read: FrameRead<C>, ids: Set<string>): Promise<void> {
  const { client, queryKey, list, status } = read;
  try {
    while (ids.size > 0) {
      const now = [...ids];
      ids.clear();
      const { cards } = await list({ limit: FRAME_READ, status });
      client.setQueryData<CardPages<C>>(queryKey, (data) => data && withRead(data, cards));
      const known = new Map(
        cardsOf(client.getQueryData<CardPages<C>>(queryKey)).map((card) => [cardId(card), card]),
      );
      const isRead = new Set(cards.map(cardId));
      const isComplete = (id: string) =>
        isRead.has(id) || (known.has(id) && known.get(id)?.status !== status);
      if (!now.every(isComplete)) void client.invalidateQueries({ queryKey, exact: true });
    }
  } catch {
    // The list is read as a whole, which repeats a failed call and shows a failure.
    void client.invalidateQueries({ queryKey, exact: true });
  }
}
