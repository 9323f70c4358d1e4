import type { Task } from '@aizuchi/shared/contract/task';
import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { callApi } from '../../../../lib/api/call-api.ts';
import { cardsOf } from '../../../../lib/live/card-pages.ts';
import { keys } from '../../../../lib/queries/keys.ts';
import { approvalsQuery, questionsQuery } from '../../../../lib/queries/queries.ts';
import { useLiveRuns } from '../../work/use-live-runs.ts';
import { attemptsQuery } from '../activity/task-records.ts';

/** The newest conversations that were opened in the work on the task. */
const taskConversationsQuery = (pid: string, tid: string) =>
  queryOptions({
    queryKey: keys.task(pid, tid, 'conversations'),
    queryFn: async ({ signal }) =>
      (await callApi('listConversations', { params: { pid }, query: { taskId: tid, limit: 50 }, signal }))
        .conversations,
  });

/** How agents work on the task: the process of now, the attempts, what it asks, with whom it talks. */
export function useTaskWork({ id, projectId, attempts: count }: Task) {
  const { data: attempts = [] } = useQuery({ ...attemptsQuery(projectId, id), enabled: count > 0 });
  const { data: conversations = [] } = useQuery({
    ...taskConversationsQuery(projectId, id),
    enabled: count > 0,
  });
  const run = useLiveRuns(projectId).byTask.get(id);
  const [openRun, setOpenRun] = useState<string>();
  const current = attempts.find(({ endedAt }) => endedAt === undefined);
  return {
    run,
    /** The attempt that goes on. */
    current,
    attempts: useMemo(() => attempts.toReversed(), [attempts]),
    conversations,
    cards: useOpenCards(projectId, current?.agentId, current?.startedAt),
    openRun,
    toggleRun: (runId: string) => setOpenRun(openRun === runId ? undefined : runId),
    closeRun: () => setOpenRun(undefined),
  };
}

export type TaskWorkState = ReturnType<typeof useTaskWork>;

/** A card does not say for which task it is: those that the agent has put up since it began to work on this one. */
function useOpenCards(projectId: string, agentId: string | undefined, since: string | undefined) {
  const isWorking = agentId !== undefined && since !== undefined;
  const questions = useInfiniteQuery({ ...questionsQuery(projectId, agentId ?? ''), enabled: isWorking });
  const approvals = useInfiniteQuery({ ...approvalsQuery(projectId, agentId ?? ''), enabled: isWorking });
  const isOpen = ({ status, createdAt }: { readonly status: string; readonly createdAt: string }) =>
    status === 'pending' && since !== undefined && createdAt >= since;
  return {
    questions: isWorking ? cardsOf(questions.data).filter(isOpen) : [],
    approvals: isWorking ? cardsOf(approvals.data).filter(isOpen) : [],
  };
}
