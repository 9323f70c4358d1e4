import type { Project } from '@aizuchi/shared/contract/project';
import type { Run } from '@aizuchi/shared/contract/run';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Time } from '../../components/Time.tsx';
import { useNow } from '../../lib/time.ts';
import { RunState } from '../runs/RunState.tsx';
import { statusOf, useDuration } from '../runs/run-status.ts';
import { usePlaceText } from '../runs/use-place-text.ts';
import { newestRuns } from './newest-runs.ts';
import { recentRunsQuery, SHOWN_RUNS } from './recent-runs-query.ts';

interface RecentRunsProps {
  readonly agentId: string;
  readonly projects: readonly Project[];
  /** By project: the agent has nothing to do and waits there. */
  readonly isWarmIn: (projectId: string) => boolean;
}

/** The newest processes of the agent in all its projects; a click opens the log. */
export function RecentRuns({ agentId, projects, isWarmIn }: RecentRunsProps) {
  const { t } = useTranslation();
  const lists = useQueries({
    queries: projects.map(({ id }) => recentRunsQuery(id, agentId)),
  });
  const error = lists.find((list) => list.error)?.error;
  const runs = newestRuns(
    lists.map(({ data }) => data?.runs ?? []),
    SHOWN_RUNS,
  );
  const newest = runs[0];
  return (
    <Panel
      title={t('agentPage.runs')}
      aside={
        newest && (
          <Link
            to="/projects/$projectId/runs"
            params={{ projectId: newest.projectId }}
            search={{ by: agentId }}
            className="text-12 font-medium text-accent-ink hover:underline"
          >
            {t('agentPage.allRuns')}
          </Link>
        )
      }
    >
      {error && <ErrorNote error={error} className="m-3" />}
      {runs.length === 0 && lists.every(({ isPending }) => !isPending) && (
        <p className="px-3 py-3 text-13 text-ink-2">{t('agentPage.noRuns')}</p>
      )}
      {runs.map((run) => (
        <RunLine
          key={run.id}
          run={run}
          isWarm={run.purpose === 'chat' && isWarmIn(run.projectId)}
          place={projects.find(({ id }) => id === run.projectId)?.name ?? run.projectId}
        />
      ))}
    </Panel>
  );
}

interface RunLineProps {
  readonly run: Run;
  readonly isWarm: boolean;
  /** The name of the project. */
  readonly place: string;
}

function RunLine({ run, isWarm, place }: RunLineProps) {
  const { t } = useTranslation();
  const now = useNow(1_000);
  const duration = useDuration();
  const { where, memory } = usePlaceText();
  const placed = run.state === 'exited' ? [] : [...where(run), ...memory(run)];
  return (
    <Link
      to="/projects/$projectId/runs"
      params={{ projectId: run.projectId }}
      search={{ by: run.agentId, run: run.id }}
      data-testid={`agent-run-${run.id}`}
      className="num grid min-h-8 grid-cols-[minmax(max-content,3fr)_minmax(0,4fr)_auto_64px] items-center gap-x-3 px-3 py-1 text-12 first:rounded-t-md last:rounded-b-md hover:bg-hover focus-visible:-outline-offset-2 max-sm:grid-cols-[minmax(0,1fr)_auto] pointer-coarse:min-h-10"
    >
      <RunState status={statusOf(run, isWarm)} />
      <span className="truncate text-ink-2 max-sm:order-2 max-sm:pl-5.5">
        {t(run.purpose === 'task' ? 'agentPage.taskIn' : 'agentPage.chatIn', { project: place })}
      </span>
      <span className="text-right max-sm:order-1">{duration(run, now)}</span>
      <Time at={run.startedAt} className="text-right whitespace-nowrap text-ink-2 max-sm:order-2" />
      {placed.length > 0 && (
        <span
          data-testid="agent-run-place"
          className="col-span-full pl-5.5 wrap-anywhere text-ink-3 max-sm:order-3"
        >
          {placed.join(' · ')}
        </span>
      )}
    </Link>
  );
}
