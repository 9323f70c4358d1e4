import { useEffect } from 'react';
import { callApi } from '../../../lib/api/call-api.ts';
import { useLiveStatus } from '../../../lib/live/live.tsx';
import { Outbox } from './outbox.ts';

/** One for each chat of the tab: sending goes on when the panel closes. */
const outboxes = new Map<string, Outbox>();

/** The outbox of a chat and a person, the same one at each call. */
export function outboxOf(pid: string, aid: string, meId: string | undefined): Outbox {
  const key = `outbox.${meId ?? ''}.${pid}.${aid}`;
  const known = outboxes.get(key);
  if (known) return known;
  const outbox = new Outbox({
    storageKey: key,
    post: (body) => callApi('postMessage', { params: { pid, aid }, body }),
  });
  outboxes.set(key, outbox);
  return outbox;
}

/** Retries without waiting for the backoff when the connection is back. */
export function useRetryOnReconnect(outbox: Outbox): void {
  const { state } = useLiveStatus();
  useEffect(() => {
    if (state === 'open') outbox.retry();
  }, [outbox, state]);
}
