import type { QueryClient } from '@tanstack/react-query';
import { whenIdle } from '../when-idle.ts';
import { queryClient } from './query-client.ts';

/** A read that hangs holds back nothing for longer. */
const LATEST_MS = 2_000;

/**
 * As whenIdle, but not before the first reads of the page are answered: while the page waits for them the browser is
 * idle, and code for later would compete with them. The returned function cancels it.
 */
export function whenLoaded(work: () => void, client: QueryClient = queryClient): () => void {
  let cancel = whenIdle(() => {
    if (isReading(client)) cancel = onceRead(client, begin);
    else work();
  });
  function begin() {
    cancel = whenIdle(work);
  }
  return () => cancel();
}

function onceRead(client: QueryClient, then: () => void): () => void {
  const end = () => {
    unsubscribe();
    clearTimeout(timer);
  };
  const finish = () => {
    end();
    then();
  };
  const timer = setTimeout(finish, LATEST_MS);
  const unsubscribe = client.getQueryCache().subscribe(() => {
    if (!isReading(client)) finish();
  });
  return end;
}

function isReading(client: QueryClient): boolean {
  return client
    .getQueryCache()
    .getAll()
    .some(({ state }) => state.fetchStatus === 'fetching' && state.data === undefined);
}
