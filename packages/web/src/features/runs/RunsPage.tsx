import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { useIsNarrow } from '../../lib/hooks/use-media-query.ts';
import { TabTools } from '../projects/tab-tools.tsx';
import { AgentFilter } from './AgentFilter.tsx';
import { RunLog } from './RunLog.tsx';
import { RunTable } from './RunTable.tsx';
import { useRunsPage } from './use-runs-page.ts';

type RunsPageState = ReturnType<typeof useRunsPage>;

/** The runs of the project's agents. The log of the open run is below the list, at 360 px full-screen. */
export function RunsPage() {
  const { t } = useTranslation();
  const page = useRunsPage();
  const { list, runs, openId, nameOf } = page;
  return (
    <div className="@container flex h-full min-h-0 flex-col">
      <h1 className="sr-only">{t('runs.title')}</h1>
      <TabTools>
        <AgentFilter agents={page.agents} by={page.by} nameOf={nameOf} onChange={page.filterBy} />
      </TabTools>
      <div className="min-h-0 flex-1 overflow-auto">
        {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} className="m-4" />}
        {list.isSuccess && runs.length === 0 && <NoRuns page={page} />}
        {runs.length > 0 && (
          <RunTable
            runs={runs}
            openId={openId}
            nameOf={nameOf}
            taskTitleOf={page.taskTitleOf}
            isWarm={page.isWarm}
          />
        )}
        {list.hasNextPage && (
          <div className="border-t border-line p-3">
            <Button
              variant="quiet"
              icon="arrowDown"
              isBusy={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >
              {t('runs.older')}
            </Button>
          </div>
        )}
      </div>
      {openId !== undefined && <OpenRun page={page} openId={openId} />}
    </div>
  );
}

function NoRuns({ page: { by, agents, nameOf } }: { readonly page: RunsPageState }) {
  const { t } = useTranslation();
  const firstAgent = by ?? agents[0]?.id;
  return (
    <div className="p-4 sm:p-6">
      <EmptyState
        icon="terminal"
        title={by === undefined ? t('runs.emptyTitle') : t('runs.emptyTitleOf', { name: nameOf(by) })}
        action={
          firstAgent && (
            <Link to="." search={(search) => ({ ...search, agent: firstAgent })} className={buttonClass()}>
              {t('runs.openChat')}
            </Link>
          )
        }
      >
        {t('runs.emptyText')}
      </EmptyState>
    </div>
  );
}

function OpenRun({ page, openId }: { readonly page: RunsPageState; readonly openId: string }) {
  const { t } = useTranslation();
  const isNarrow = useIsNarrow();
  const { nameOf, close, canStop } = page;
  const { run, error } = page.openRun;
  return (
    <section
      data-panel="log"
      aria-label={t('runs.logOf', { name: run ? nameOf(run.agentId) : openId })}
      className={clsx(
        '@container flex min-h-0 flex-col bg-surface',
        isNarrow ? 'fixed inset-0 z-30' : 'h-[55%] flex-none border-t border-line-strong',
      )}
    >
      {error !== null && (
        <div className="flex flex-col items-start gap-3 p-4">
          <ErrorNote error={error} />
          <Button onClick={close}>{t('runs.closeLog')}</Button>
        </div>
      )}
      {run && <RunLog key={openId} run={run} name={nameOf(run.agentId)} canStop={canStop} onClose={close} />}
    </section>
  );
}
