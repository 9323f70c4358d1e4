import type { Run } from '@aizuchi/shared/contract/run';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEscape } from '../../lib/hooks/use-escape.ts';
import { agentSessionsQuery, membersQuery, meQuery, tasksQuery } from '../../lib/queries/queries.ts';
import { useNameOf } from '../../lib/queries/use-name-of.ts';
import { runQuery, runsQuery } from './use-runs.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

/** The list of runs, and the open one. Filter and open run are in the address. */
export function useRunsPage() {
  const { projectId } = route.useParams();
  const { run: openId, by } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: me } = useQuery(meQuery());
  const { data: members = [] } = useQuery(membersQuery(projectId));
  const { data: tasks = [] } = useQuery(tasksQuery(projectId));
  const { data: sessions = {} } = useQuery(agentSessionsQuery(projectId));
  const list = useInfiniteQuery(runsQuery(projectId, by));
  const runs = list.data?.pages.flatMap((page) => page.runs) ?? [];
  const agents = members.filter(({ type }) => type === 'ai');
  const close = () => void navigate({ to: '.', search: ({ run: _run, ...search }) => search });
  useEscape(openId !== undefined, 'log', close);
  return {
    /** The agent whose runs are listed; all agents without it. */
    by,
    agents,
    list,
    runs,
    openId,
    openRun: useOpenRun(projectId, openId, runs),
    close,
    nameOf: useNameOf(),
    canStop: me !== undefined && me.accessLevel !== 'viewer',
    taskTitleOf: (taskId: string) => tasks.find(({ id }) => id === taskId)?.title,
    isWarm: ({ agentId, purpose }: Run) => purpose === 'chat' && sessions[agentId]?.chatStatus === 'ready',
    filterBy: (agentId: string | undefined) =>
      void navigate({
        to: '.',
        search: ({ by: _by, ...search }) => ({ ...search, ...(agentId !== undefined && { by: agentId }) }),
      }),
  };
}

/** From the list, which is kept current; a run that is not on the loaded pages is read separately. */
function useOpenRun(projectId: string, openId: string | undefined, runs: readonly Run[]) {
  const listed = runs.find(({ id }) => id === openId);
  const { data, error } = useQuery({
    ...runQuery(projectId, openId ?? ''),
    enabled: openId !== undefined && listed === undefined,
  });
  return { run: listed ?? data, error: listed ? null : error };
}
