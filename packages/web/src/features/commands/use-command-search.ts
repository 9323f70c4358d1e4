import type { SearchItem } from '@aizuchi/shared/contract/search';
import { type KeyboardEvent, useLayoutEffect, useState } from 'react';
import { useHasRoomBeside } from '../../lib/hooks/use-media-query.ts';
import { isComposing } from '../../lib/is-composing.ts';
import { earlyWords } from './menu-store.ts';
import { type Filter, hitGroups, hitValue, nextFilter, searchWords } from './search/hits.ts';
import { useHitTexts } from './search/use-hit-texts.ts';
import { hasPlace, useOpenHit } from './search/use-open-hit.ts';
import { useProjectSearch } from './search/use-project-search.ts';

/** The state of the command menu: the words, what they find in the open project, and what is selected. */
export function useCommandSearch(projectId: string | undefined, onClose: () => void) {
  const [words, setWords] = useState(() => earlyWords.get());
  // React may show the menu up to 0.3 s after it rendered it, and what is typed until then is early too.
  useLayoutEffect(() => setWords(earlyWords.get()), []);
  const [filter, setFilter] = useState<Filter>('all');
  const [selected, setSelected] = useState('');
  const [shown, setShown] = useState<SearchItem>();
  const hasColumn = useHasRoomBeside();
  const query = projectId === undefined ? '' : searchWords(words);
  const project = useProjectSearch(projectId, query);
  const groups = hitGroups(project.items, filter);
  const values = new Map(
    groups.flatMap(({ items }, group) =>
      items.map((item, index) => [item, hitValue(group, index, item)] as const),
    ),
  );
  /** The first of its hits is selected: the one before may not be shown any more. */
  const changeFilter = (next: Filter) => {
    setFilter(next);
    const first = hitGroups(project.items, next)[0]?.items[0];
    if (first) setSelected(hitValue(0, 0, first));
  };
  const openHit = useOpenHit(projectId ?? '');
  const open = (item: SearchItem) => {
    onClose();
    openHit(item);
  };
  return {
    words,
    query,
    filter,
    changeFilter,
    selected,
    setSelected,
    project,
    groups,
    texts: useHitTexts(),
    hasColumn,
    hasVectors: project.found?.degraded.includes('no_embedding') === false,
    nameOf: (item: SearchItem) => values.get(item) ?? '',
    /** The selected hit, beside the list; where there is no room for that, the one that was opened instead of it. */
    preview: hasColumn ? [...values].find(([, value]) => value === selected)?.[0] : shown,
    open,
    select: (item: SearchItem) => {
      if (hasPlace(item)) open(item);
      else setShown(item);
    },
    back: () => setShown(undefined),
    setWords: (next: string) => {
      setWords(next);
      setFilter('all');
      setShown(undefined);
    },
    /** Tab changes the kind; the buttons behind it are reached by the pointer, and that of a failed search by Tab. */
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Tab' || query === '' || project.error || isComposing(event.nativeEvent)) return;
      if (!(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      changeFilter(nextFilter(filter, project.counts, event.shiftKey ? -1 : 1));
    },
  };
}
