import type { MessagePage } from '@aizuchi/shared/contract/chat';
import { callApi } from '../../../lib/api/call-api.ts';
import { FIRST_PAGE_SIZE } from '../limits.ts';
import { viewerId } from '../session/viewer.ts';
import type { PageQuery, ReadPage } from './chat-feed.ts';

/** By chat: the newest page, requested while the code of the panel was still being loaded. */
const early = new Map<string, Promise<MessagePage>>();

export function readFirstPageEarly(pid: string, aid: string): void {
  const page = ask(pid, aid, { limit: FIRST_PAGE_SIZE });
  // After a failure the panel requests the page again, and shows why that fails.
  page.catch(() => undefined);
  early.clear();
  early.set(`${pid}/${aid}`, page);
}

/** Reads pages of one chat. The first one may have been requested early; the feed then reads what came since. */
export function readPage(pid: string, aid: string): ReadPage {
  const key = `${pid}/${aid}`;
  return async (query, signal) => {
    const isNewest = query.after === undefined && query.before === undefined;
    const page = isNewest ? await early.get(key)?.catch(() => undefined) : undefined;
    early.delete(key);
    return page ? { ...page, isEarly: true } : ask(pid, aid, query, signal);
  };
}

function ask(pid: string, aid: string, query: PageQuery, signal?: AbortSignal): Promise<MessagePage> {
  return callApi('listMessages', {
    params: { pid, aid },
    query: { ...query, viewerId: viewerId() },
    ...(signal && { signal }),
  });
}
