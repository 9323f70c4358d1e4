import type { Project } from '@aizuchi/shared/contract/project';
import clsx from 'clsx';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHasRoomBeside } from '../../lib/hooks/use-media-query.ts';
import { ChoiceChips } from './ChoiceChips.tsx';
import { Threads } from './overview/Threads.tsx';
import { StateColumn } from './states/StateColumn.tsx';
import { Timeline } from './timeline/Timeline.tsx';
import type { MemoryPart } from './use-memory.ts';

interface MemoryColumnsProps {
  readonly part: MemoryPart;
  /** Those of the agent, for their names. */
  readonly projects: readonly Project[];
}

const VIEWS = ['events', 'states', 'threads'] as const;
type View = (typeof VIEWS)[number];

/** What happened on the left, what came of it on the right; where there is no room for both, one of them. */
export function MemoryColumns({ part, projects }: MemoryColumnsProps) {
  const { t } = useTranslation();
  const isWide = useHasRoomBeside();
  const [chosen, setChosen] = useState<View>('events');
  const view = isWide && chosen === 'events' ? 'states' : chosen;
  const nameOf = (projectId: string) => projects.find(({ id }) => id === projectId)?.name ?? projectId;
  const choice = (
    <ChoiceChips
      label={t('memoryPage.show')}
      choices={VIEWS.filter((one) => !isWide || one !== 'events').map((one) => ({
        value: one,
        text: t(`memoryPage.${one}`),
      }))}
      value={view}
      onChange={setChosen}
      testId="memory-view"
    />
  );
  return (
    <>
      {!isWide && <div className="px-4 pt-3">{choice}</div>}
      <div className="grid min-h-0 flex-1 md:min-h-96 md:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
        {(isWide || view === 'events') && (
          <section aria-label={t('memoryPage.events')} className="min-w-0 px-4 py-3 md:px-5">
            <Timeline part={part} projectName={nameOf} />
          </section>
        )}
        {view !== 'events' && (
          <section
            aria-label={t(`memoryPage.${view}`)}
            className={clsx(
              'flex min-w-0 flex-col gap-3 px-4 py-3 md:px-5',
              isWide && 'border-l border-line',
            )}
          >
            {isWide && choice}
            <h2 className="sr-only">{t(`memoryPage.${view}`)}</h2>
            {view === 'states' ? <StateColumn part={part} projectName={nameOf} /> : <Threads part={part} />}
          </section>
        )}
      </div>
    </>
  );
}
