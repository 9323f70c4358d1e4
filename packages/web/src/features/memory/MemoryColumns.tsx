import type { Project } from '@aizuchi/shared/contract/project';
import clsx from 'clsx';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHasRoomBeside } from '../../lib/hooks/use-media-query.ts';
import { ChoiceChips } from './ChoiceChips.tsx';
import { StateColumn } from './states/StateColumn.tsx';
import { Timeline } from './timeline/Timeline.tsx';
import type { MemoryPart } from './use-memory.ts';

interface MemoryColumnsProps {
  readonly part: MemoryPart;
  /** Those of the agent, for their names. */
  readonly projects: readonly Project[];
}

const VIEWS = ['events', 'states'] as const;

/** What happened on the left, what was learnt on the right; where there is no room for both, one of them. */
export function MemoryColumns({ part, projects }: MemoryColumnsProps) {
  const { t } = useTranslation();
  const isWide = useHasRoomBeside();
  const [view, setView] = useState<(typeof VIEWS)[number]>('events');
  const nameOf = (projectId: string) => projects.find(({ id }) => id === projectId)?.name ?? projectId;
  const isShown = (one: (typeof VIEWS)[number]) => isWide || view === one;
  return (
    <>
      {!isWide && (
        <div className="px-4 pt-3">
          <ChoiceChips
            label={t('memoryPage.show')}
            choices={VIEWS.map((one) => ({ value: one, text: t(`memoryPage.${one}`) }))}
            value={view}
            onChange={setView}
            testId="memory-view"
          />
        </div>
      )}
      <div className="grid min-h-0 flex-1 md:min-h-96 md:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
        {isShown('events') && (
          <section aria-label={t('memoryPage.events')} className="min-w-0 px-4 py-3 md:px-5">
            <Timeline part={part} projectName={nameOf} />
          </section>
        )}
        {isShown('states') && (
          <section
            aria-label={t('memoryPage.states')}
            className={clsx('min-w-0 px-4 py-3 md:px-5', isWide && 'border-l border-line')}
          >
            <StateColumn part={part} projectName={nameOf} />
          </section>
        )}
      </div>
    </>
  );
}
