import { callApi } from '../../../lib/api/call-api.ts';
import { newId } from '../../../lib/new-id.ts';
import { tabStorage } from '../../../lib/tab-storage.ts';
import { Openings } from './openings.ts';

const KEY = 'viewer';
let id: string | undefined;

/**
 * The viewer id of this tab. It survives a reload, so that the agent stays warm. It is in the tab's storage only
 * between two page loads: a duplicated tab copies the storage and must not become the same viewer.
 */
export function viewerId(): string {
  if (id === undefined) {
    id = tabStorage.get(KEY) ?? newId();
    tabStorage.remove(KEY);
    const taken = id;
    window.addEventListener('pagehide', () => tabStorage.set(KEY, taken));
    window.addEventListener('pageshow', ({ persisted }) => {
      if (persisted) tabStorage.remove(KEY);
    });
  }
  return id;
}

/** The chats of this tab; the server counts it as their viewer. */
export const openings = new Openings({
  open: (pid, aid) => callApi('startChat', { params: { pid, aid }, body: { viewerId: viewerId() } }),
  close: (pid, aid) =>
    callApi('endChat', { params: { pid, aid }, body: { viewerId: viewerId(), cause: 'closed' } }),
});

/** The page is unloaded, perhaps for a reload: the server waits some seconds before it counts. */
export function unloadChat(pid: string, aid: string): Promise<unknown> {
  return callApi('endChat', {
    params: { pid, aid },
    body: { viewerId: viewerId(), cause: 'unload' },
    keepalive: true,
  });
}
