import { useEffect } from 'react';
import { isTemporary } from '../../../lib/api/temporary-error.ts';
import { backoffMs } from '../../../lib/backoff.ts';
import { delay } from '../../../lib/delay.ts';
import { useStore } from '../../../lib/store.ts';
import type { ChatFeed } from '../timeline/chat-feed.ts';

const BACKOFF = { firstMs: 1_000, longestMs: 10_000 };

/**
 * Loads one page of older messages after another while the first visible rows are near the top. Nothing is shown
 * after a failure; it is repeated, because a list at its top gives no further scroll event.
 */
export function useLoadOlder(feed: ChatFeed, isNearTop: boolean): void {
  const { hasOlder, messages } = useStore(feed.timeline);
  const canLoad = isNearTop && hasOlder;
  const oldestId = messages[0]?.id;
  useEffect(() => {
    if (!canLoad) return;
    const isOver = new AbortController();
    // A frame later: this effect runs before the feed has ended the load of the page that caused it, and before the
    // list has moved by that page's height.
    const frame = requestAnimationFrame(() => void loadPage(feed, isOver.signal));
    return () => {
      cancelAnimationFrame(frame);
      isOver.abort();
    };
  }, [canLoad, oldestId, feed]);
}

async function loadPage(feed: ChatFeed, isOver: AbortSignal): Promise<void> {
  for (let failures = 0; !isOver.aborted; ) {
    try {
      return await feed.loadOlder();
    } catch (error) {
      if (!isTemporary(error)) return;
      failures += 1;
      await delay(backoffMs(failures, BACKOFF), isOver);
    }
  }
}
