import type { Run } from '@aizuchi/shared/contract/run';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Menu, MenuItem } from '../../components/Menu.tsx';
import { agentSessionsQuery, membersQuery, meQuery, tasksQuery } from '../../lib/queries/queries.ts';
import { useNameOf } from '../../lib/queries/use-name-of.ts';
import { useEscape } from '../../lib/use-escape.ts';
import { useIsNarrow } from '../../lib/use-media-query.ts';
import { TabTools } from '../projects/tab-tools.tsx';
import { RunLog } from './RunLog.tsx';
import { RunTable } from './RunTable.tsx';
import { runQuery, runsQuery } from './use-runs.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

/** Every process of the project's agents; the log of one below (`?run=`), at 360 px as the whole screen. */
export function RunsPage() {
  const { t } = useTranslation();
  const { projectId } = route.useParams();
  const { run: openId, by } = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrow = useIsNarrow();
  const { data: me } = useQuery(meQuery());
  const { data: members = [] } = useQuery(membersQuery(projectId));
  const { data: tasks = [] } = useQuery(tasksQuery(projectId));
  const { data: sessions = {} } = useQuery(agentSessionsQuery(projectId));
  const list = useInfiniteQuery(runsQuery(projectId, by));
  const runs = list.data?.pages.flatMap((page) => page.runs) ?? [];
  const nameOf = useNameOf();
  const firstAgent = by ?? members.find(({ type }) => type === 'ai')?.id;
  const isWarm = ({ agentId, purpose }: Run) =>
    purpose === 'chat' && sessions[agentId]?.chatStatus === 'ready';
  const close = () => void navigate({ to: '.', search: ({ run: _run, ...search }) => search });
  useEscape(openId !== undefined, close);
  const openRun = useOpenRun(projectId, openId, runs);
  return (
    <div className="@container flex h-full min-h-0 flex-col">
      <h1 className="sr-only">{t('runs.title')}</h1>
      <TabTools>
        <AgentFilter projectId={projectId} by={by} nameOf={nameOf} />
      </TabTools>
      <div className="min-h-0 flex-1 overflow-auto">
        {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} className="m-4" />}
        {list.isSuccess && runs.length === 0 ? (
          <div className="p-4 sm:p-6">
            <EmptyState
              icon="terminal"
              title={by === undefined ? t('runs.emptyTitle') : t('runs.emptyTitleOf', { name: nameOf(by) })}
              action={
                firstAgent && (
                  <Link
                    to="."
                    search={(search) => ({ ...search, agent: firstAgent })}
                    className={buttonClass()}
                  >
                    {t('runs.openChat')}
                  </Link>
                )
              }
            >
              {t('runs.emptyText')}
            </EmptyState>
          </div>
        ) : (
          runs.length > 0 && (
            <RunTable
              runs={runs}
              openId={openId}
              nameOf={nameOf}
              taskTitleOf={(taskId) => tasks.find(({ id }) => id === taskId)?.title}
              isWarm={isWarm}
            />
          )
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
      {openId !== undefined && (
        <section
          aria-label={t('runs.logOf', { name: openRun.run ? nameOf(openRun.run.agentId) : openId })}
          className={clsx(
            '@container flex min-h-0 flex-col bg-surface',
            isNarrow ? 'fixed inset-0 z-30' : 'h-[55%] flex-none border-t border-line-strong',
          )}
        >
          {openRun.error !== null && (
            <div className="flex flex-col items-start gap-3 p-4">
              <ErrorNote error={openRun.error} />
              <Button onClick={close}>{t('runs.closeLog')}</Button>
            </div>
          )}
          {openRun.run && (
            <RunLog
              key={openId}
              run={openRun.run}
              name={nameOf(openRun.run.agentId)}
              canStop={me !== undefined && me.accessLevel !== 'viewer'}
              onClose={close}
            />
          )}
        </section>
      )}
    </div>
  );
}

/** From the list, which follows the changes; asked for by itself when it stands further down. */
function useOpenRun(projectId: string, openId: string | undefined, runs: readonly Run[]) {
  const listed = runs.find(({ id }) => id === openId);
  const { data, error } = useQuery({
    ...runQuery(projectId, openId ?? ''),
    enabled: openId !== undefined && listed === undefined,
  });
  return { run: listed ?? data, error: listed ? null : error };
}

interface AgentFilterProps {
  readonly projectId: string;
  readonly by: string | undefined;
  readonly nameOf: (agentId: string) => string;
}

function AgentFilter({ projectId, by, nameOf }: AgentFilterProps) {
  const { t } = useTranslation();
  const navigate = route.useNavigate();
  const { data: members = [] } = useQuery(membersQuery(projectId));
  const choose = (agentId: string | undefined) =>
    void navigate({
      to: '.',
      search: ({ by: _by, ...search }) => ({ ...search, ...(agentId !== undefined && { by: agentId }) }),
    });
  return (
    <Menu
      trigger={
        <Button
          variant={by === undefined ? 'quiet' : 'default'}
          size="sm"
          icon="filter"
          data-testid="runs-filter"
        >
          {by === undefined ? t('runs.allAgents') : nameOf(by)}
        </Button>
      }
    >
      <MenuItem onSelect={() => choose(undefined)}>
        <Check isOn={by === undefined} />
        {t('runs.allAgents')}
      </MenuItem>
      {members
        .filter(({ type }) => type === 'ai')
        .map(({ id, name }) => (
          <MenuItem key={id} onSelect={() => choose(id)}>
            <Check isOn={by === id} />
            {name}
          </MenuItem>
        ))}
    </Menu>
  );
}

function Check({ isOn }: { readonly isOn: boolean }) {
  return <Icon name="check" size={14} className={clsx('text-ink-2', !isOn && 'invisible')} />;
}
