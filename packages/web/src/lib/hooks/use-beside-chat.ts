import type { ProjectSearch } from '../../app/search.ts';
import { withoutChat } from '../chat-search.ts';
import { useIsNarrow } from './use-media-query.ts';

/**
 * The search parameters of a page of the project that a chat leads to: the chat stays open beside it. On a phone it
 * would lie over the page, so there it closes.
 */
export function useBesideChat(): (search: ProjectSearch) => ProjectSearch {
  const isNarrow = useIsNarrow();
  return (search) => (isNarrow ? withoutChat(search) : search);
}
