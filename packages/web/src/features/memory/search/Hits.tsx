import type { MemorySearch } from '@aizuchi/shared/contract/memory';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { isCode } from '../../../lib/api/api-error.ts';
import { joined } from '../../../lib/joined.ts';
import { isIncomplete } from '../../../lib/queries/search-again.ts';
import { ChoiceChips } from '../ChoiceChips.tsx';
import type { MemoryPart } from '../use-memory.ts';
import { HitRow } from './HitRow.tsx';

interface HitsProps {
  readonly part: MemoryPart;
  readonly found: UseQueryResult<MemorySearch>;
}

const TYPES = ['event', 'state', 'affect'] as const;
type Filter = 'all' | (typeof TYPES)[number];

/** What was found, the best first, with the legs of each hit and its score. */
export function Hits({ part, found }: HitsProps) {
  const { t } = useTranslation();
  const [filter, setFilter] = useState<Filter>('all');
  const { data, error, isPending } = found;
  if (isCode(error, 'unavailable')) return <MemoryAway onRetry={() => void found.refetch()} />;
  if (error)
    return (
      <ErrorNote
        error={error}
        title={t('search.failed')}
        onRetry={() => void found.refetch()}
        className="mx-4 mb-3 md:mx-5"
      />
    );
  if (isPending)
    return (
      <div className="px-4 pb-3 md:px-5">
        <PhaseLine>{t('search.searching')}</PhaseLine>
      </div>
    );
  const { items, degraded, timings } = data;
  if (items.length === 0)
    return (
      <p role="status" className="px-4 pb-3 text-13 text-ink-2 md:px-5">
        {t(isIncomplete(data) ? 'memoryPage.nothingInTime' : 'memoryPage.nothingFound')}
      </p>
    );
  const countOf = (type: Filter) => items.filter((hit) => type === 'all' || hit.type === type).length;
  const hasVectors = !degraded.includes('no_embedding');
  const ms = Math.round(Math.max(0, ...Object.values(timings)));
  return (
    <div data-testid="memory-hits">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pb-2 md:px-5">
        <ChoiceChips
          label={t('search.kinds')}
          choices={(['all', ...TYPES] as const)
            .filter((type) => type === 'all' || countOf(type) > 0)
            .map((type) => ({ value: type, text: t(`memoryPage.hitType.${type}`), count: countOf(type) }))}
          value={filter}
          onChange={setFilter}
          testId="memory-hits"
        />
        <p role="status" className="num text-12 text-ink-2 md:ml-auto">
          {joined([
            !hasVectors && t('memoryPage.noVectors'),
            degraded.includes('collector_late') && t('memoryPage.late'),
            degraded.includes('embedding_failed') && t('memoryPage.vectorFailed'),
            t('search.found', { count: items.length }),
            t('search.ms', { ms }),
          ])}
        </p>
      </div>
      <ol className="overflow-y-auto md:max-h-[44dvh] border-t border-line">
        {items
          .filter(({ type }) => filter === 'all' || type === filter)
          .map((hit) => (
            <HitRow key={`${hit.type} ${hit.id}`} part={part} hit={hit} hasVectors={hasVectors} />
          ))}
      </ol>
      <p className="border-t border-line px-4 py-1.5 text-11 text-ink-3 md:px-5">{t('search.bars')}</p>
    </div>
  );
}

/** The lists come from the database and stay. */
function MemoryAway({ onRetry }: { readonly onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <div
      role="alert"
      data-testid="memory-away"
      className="mx-4 mb-3 flex items-start gap-2 rounded-md border border-amber-line bg-amber-soft px-3 py-2 text-13 text-amber-ink md:mx-5"
    >
      <Icon name="warning" className="mt-0.5" />
      <span className="min-w-0 flex-1">{t('memoryPage.away')}</span>
      <Button size="sm" icon="retry" onClick={onRetry}>
        {t('common.retry')}
      </Button>
    </div>
  );
}
