import type { StateKind } from '@aizuchi/shared/contract/memory';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { ChoiceChips } from '../ChoiceChips.tsx';
import { MoreButton } from '../MoreButton.tsx';
import { type MemoryPart, statesQuery } from '../use-memory.ts';
import { StateCard } from './StateCard.tsx';

interface StateColumnProps {
  readonly part: MemoryPart;
  readonly projectName: (projectId: string) => string;
}

/** Not those of the contract: they would bring its schemas, and the library that checks them, into this chunk. */
const STATE_KINDS = [
  'fact',
  'relation',
  'task',
  'summary',
  'long_mood_state',
] as const satisfies readonly StateKind[];

/** What was learnt, under its kind, the last confirmed first. */
export function StateColumn({ part, projectName }: StateColumnProps) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<StateKind | 'all'>('all');
  const list = useInfiniteQuery(statesQuery(part, kind === 'all' ? undefined : kind));
  const states = list.data?.pages.flatMap((page) => page.states) ?? [];
  return (
    <div className="flex flex-col gap-3" data-testid="memory-states">
      <ChoiceChips
        label={t('memoryPage.kinds')}
        choices={(['all', ...STATE_KINDS] as const).map((one) => ({
          value: one,
          text: one === 'all' ? t('search.kind.all') : t(`search.memoryKind.${one}`),
        }))}
        value={kind}
        onChange={setKind}
        testId="memory-kind"
      />
      {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && !list.error && <PhaseLine>{t('common.loading')}</PhaseLine>}
      {list.isSuccess && states.length === 0 && (
        <EmptyState icon="book" level={3} title={t('memoryPage.noStatesTitle')}>
          {t('memoryPage.noStates')}
        </EmptyState>
      )}
      {STATE_KINDS.map((one) => {
        const ofKind = states.filter((state) => state.kind === one);
        if (ofKind.length === 0) return null;
        return (
          <section key={one} className="flex flex-col gap-2">
            <h3 className="text-12 text-ink-2">{t(`search.memoryKind.${one}`)}</h3>
            {ofKind.map((state) => (
              <StateCard key={state.id} part={part} state={state} projectName={projectName} />
            ))}
          </section>
        );
      })}
      <MoreButton list={list} testId="memory-states-older" />
    </div>
  );
}
