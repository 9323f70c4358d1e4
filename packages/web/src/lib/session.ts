import { onStoredElsewhere, storage } from './storage.ts';
import { Store } from './store.ts';

/**
 * The sign-in as this tab knows it. The cookie is not readable here; what opens the API together with it is the
 * csrf value that the login answered. All tabs of the origin share it.
 */
export interface Session {
  readonly csrf: string | undefined;
  /** Why there is none: nobody signed in yet, the person left, or the server did not know it any more. */
  readonly ended?: 'signed_out' | 'expired';
}

const KEY = 'csrf';

export const session = new Store<Session>({ csrf: storage.get(KEY) });

export function beginSession(csrf: string): void {
  storage.set(KEY, csrf);
  session.set({ csrf });
}

/** `csrf`: the value the refused call was made with; a newer sign-in of another tab is left alone. */
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
