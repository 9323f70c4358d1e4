import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '../../../components/Button.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { isComposing } from '../../../lib/is-composing.ts';
import { hitsQuery, type MemoryPart } from '../use-memory.ts';
import { Hits } from './Hits.tsx';

const route = getRouteApi('/signed-in/memory/$agentId');
const MAX_LENGTH = 4_000;

/** The search of a memory. Each search is recorded, so it is made when the words are complete. */
export function MemorySearch({ part }: { readonly part: MemoryPart }) {
  const { t } = useTranslation();
  const { find = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [words, setWords] = useState(find);
  const found = useQuery(hitsQuery(part, find));
  const show = (query: string) =>
    void navigate({
      to: '.',
      search: ({ find: _find, ...search }) => ({ ...search, ...(query !== '' && { find: query }) }),
    });
  const clear = () => {
    setWords('');
    show('');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    show(words.trim());
    if (words.trim() === find && found.isError) void found.refetch();
  };
  return (
    <search className="flex-none border-b border-line">
      <form onSubmit={submit} className="flex items-center gap-2 px-4 py-3 md:px-5">
        <span className="relative flex min-w-0 flex-1 items-center md:max-w-md">
          <Icon name="search" size={14} className="pointer-events-none absolute left-2.5 text-ink-3" />
          <input
            type="text"
            aria-label={t('memoryPage.search')}
            placeholder={t('memoryPage.search')}
            value={words}
            maxLength={MAX_LENGTH}
            data-testid="memory-find"
            onChange={({ target }) => setWords(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape' && !isComposing(event.nativeEvent)) clear();
            }}
            className="h-8 w-full min-w-0 rounded-md border border-line-strong bg-surface pr-9 pl-8 text-13 text-ink placeholder:text-ink-3 pointer-coarse:h-10 pointer-coarse:text-16"
          />
          {(words !== '' || find !== '') && (
            <span className="absolute right-1 flex">
              <IconButton icon="close" label={t('memoryPage.clearSearch')} onClick={clear} />
            </span>
          )}
        </span>
        <Button type="submit" data-testid="memory-find-start">
          {t('memoryPage.searchStart')}
        </Button>
      </form>
      {find !== '' && <Hits key={find} part={part} found={found} />}
    </search>
  );
}
