import type { GrowthJob, Indexing } from '@aizuchi/shared/contract/memory';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Time } from '../../../components/Time.tsx';
import { joined } from '../../../lib/joined.ts';
import { titleOf } from '../timeline/event-days.ts';
import { eventQuery, type MemoryPart, useRetryGrowth } from '../use-memory.ts';
import { useMemoryRights } from '../use-memory-rights.ts';

interface JobListProps {
  readonly part: MemoryPart;
  readonly indexing: Indexing;
}

const SHOWN_PENDING = 5;

/** What failed, with why and a way to try again; then what is next. */
export function JobList({ part, indexing }: JobListProps) {
  const { t } = useTranslation();
  const { jobs, embeddings } = indexing;
  const parked = jobs.filter(({ state }) => state === 'parked');
  const pending = jobs.filter(({ state }) => state === 'pending');
  return (
    <section
      aria-label={t('memoryPage.jobs')}
      data-testid="memory-jobs"
      className="flex flex-none flex-col gap-2 border-b border-line bg-surface px-4 py-3 md:px-5"
    >
      {parked.map((job) => (
        <JobRow key={job.eventId} part={part} job={job} />
      ))}
      {pending.slice(0, SHOWN_PENDING).map((job) => (
        <JobRow key={job.eventId} part={part} job={job} />
      ))}
      <p className="num text-12 text-ink-2">
        {joined([
          t('memoryPage.growthWaiting', { count: indexing.growth.pending }),
          t('memoryPage.vectorsWaiting', { count: embeddings.pending }),
          embeddings.failed > 0 && t('memoryPage.vectorsFailed', { count: embeddings.failed }),
        ])}
      </p>
    </section>
  );
}

function JobRow({ part, job }: { readonly part: MemoryPart; readonly job: GrowthJob }) {
  const { t } = useTranslation();
  const retry = useRetryGrowth(part, job.eventId);
  const { data, isError } = useQuery(eventQuery(part, job.eventId));
  const { mayChange } = useMemoryRights();
  const { error, state, attempts } = job;
  return (
    <div data-testid={`memory-job-${job.eventId}`} data-state={state} className="flex flex-col gap-1">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="truncate text-13">{data ? titleOf(data.event) : isError ? job.eventId : '…'}</p>
          <p className="num text-12 text-ink-2 wrap-anywhere">
            <Time at={job.createdAt} />
            {' · '}
            {joined([
              state === 'pending' && t('memoryPage.pending'),
              attempts > 0 &&
                t(`memoryPage.${state === 'parked' ? 'parked' : 'attempts'}`, { count: attempts }),
              error !== null && `${error.step}: ${error.message}`,
            ])}
          </p>
        </div>
        {state === 'parked' && data && mayChange(data.event) && (
          <Button size="sm" icon="retry" isBusy={retry.isPending} onClick={() => retry.mutate()}>
            {t('common.retry')}
          </Button>
        )}
      </div>
      {retry.error && <ErrorNote error={retry.error} />}
    </div>
  );
}
