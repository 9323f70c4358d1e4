import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { dayOf, useNow } from '../../../lib/time.ts';
import { MoreButton } from '../MoreButton.tsx';
import { eventsQuery, type MemoryPart } from '../use-memory.ts';
import { EventRow } from './EventRow.tsx';
import { type EventDay, eventDays } from './event-days.ts';

interface TimelineProps {
  readonly part: MemoryPart;
  readonly projectName: (projectId: string) => string;
}

/** What happened, the newest first, under the day of each. */
export function Timeline({ part, projectName }: TimelineProps) {
  const { t } = useTranslation();
  const now = useNow(60_000);
  const list = useInfiniteQuery(eventsQuery(part));
  const events = list.data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <div className="flex flex-col gap-3" data-testid="memory-events">
      <h2 className="flex min-h-6 items-center gap-2 text-13 font-semibold">
        {t('memoryPage.events')}
        <span className="text-12 font-normal text-ink-2">{t('memoryPage.newestFirst')}</span>
      </h2>
      {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && !list.error && <PhaseLine>{t('common.loading')}</PhaseLine>}
      {list.isSuccess && events.length === 0 && (
        <EmptyState icon="book" level={3} title={t('memoryPage.noEventsTitle')}>
          {t('memoryPage.noEvents')}
        </EmptyState>
      )}
      {eventDays(events, now).map((day) => (
        <section key={day.daysAgo}>
          <h3 className="num mb-1 text-12 text-ink-2">
            <DayName day={day} now={now} />
          </h3>
          <ol className="ml-[5px] border-l border-line">
            {day.events.map((event) => (
              <EventRow key={event.id} part={part} event={event} projectName={projectName} />
            ))}
          </ol>
        </section>
      ))}
      <MoreButton list={list} testId="memory-events-older" />
    </div>
  );
}

function DayName({ day: { at, daysAgo }, now }: { readonly day: EventDay; readonly now: Date }) {
  const { t, i18n } = useTranslation();
  if (daysAgo === 0) return t('memoryPage.today');
  if (daysAgo === 1) return t('memoryPage.yesterday');
  return dayOf(at, now, i18n.language);
}
