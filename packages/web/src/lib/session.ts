import { onStoredElsewhere, storage } from './storage.ts';
import { Store } from './store.ts';

/**
 * The sign-in of this tab. The cookie is not readable here; together with it the API needs the csrf value that the
 * login returned. All tabs of the origin share it.
 */
export interface Session {
  readonly csrf: string | undefined;
  /** Why there is none: the person signed out, or the server no longer knows it. Absent before the first sign-in. */
  readonly ended?: 'signed_out' | 'expired';
}

const KEY = 'csrf';

export const session = new Store<Session>({ csrf: storage.get(KEY) });

export function beginSession(csrf: string): void {
  storage.set(KEY, csrf);
  session.set({ csrf });
}

/** `csrf`: the value of the refused call; a newer sign-in by another tab is not ended. */
export function endSession(ended: 'signed_out' | 'expired', csrf = session.get().csrf): void {
  if (csrf === undefined || csrf !== session.get().csrf) return;
  if (storage.get(KEY) === csrf) storage.remove(KEY);
  session.set({ csrf: undefined, ended });
}

export function followOtherTabs(): () => void {
  return onStoredElsewhere(KEY, (csrf) => {
    if (csrf === session.get().csrf) return;
    session.set(csrf === undefined ? { csrf, ended: 'signed_out' } : { csrf });
  });
}
