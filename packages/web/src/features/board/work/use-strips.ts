import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { Task } from '@aizuchi/shared/contract/task';
import { isCard } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { isClosed } from '@aizuchi/shared/core/tasks/rules/task-status';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { useInbox } from '../../inbox/use-inbox.ts';
import { mergeStrips, type Strip, stripOf } from '../card/card-strip.ts';
import { useLiveRuns } from './use-live-runs.ts';

/** What waits for a process. No frame says that a row came, only that a process began or ended. */
const POLL_MS = 5_000;

const queueQuery = (pid: string) =>
  queryOptions({
    queryKey: keys.runs(pid, 'pending'),
    queryFn: async ({ signal }) =>
      (await callApi('pendingPurposes', { params: { pid }, signal })).pendingPurposes,
    refetchInterval: POLL_MS,
  });

/** The strips of the cards that have one, by the id of the task. A strip that says the same stays the same object. */
export function useStrips(
  projectId: string,
  tasks: readonly Task[] | undefined,
  sessions: Readonly<Record<string, AgentSessionView>>,
): ReadonlyMap<string, Strip> {
  const runs = useLiveRuns(projectId);
  const hasWork = tasks?.some(({ status }) => status === 'in_progress') ?? false;
  const { data: queue } = useQuery({ ...queueQuery(projectId), enabled: hasWork });
  const { items } = useInbox();
  const [kept, setKept] = useState<ReadonlyMap<string, Strip>>(new Map());
  const strips = useMemo(() => {
    const queued = new Map(
      (queue ?? []).flatMap((one) => (one.taskId === undefined ? [] : [[one.taskId, one.createdAt]])),
    );
    const asking = new Map(
      (items ?? [])
        .filter((item) => isCard(item) && item.projectId === projectId)
        .map(({ agentId, createdAt }) => [agentId, createdAt]),
    );
    const open = new Map(
      (tasks ?? []).filter(({ status }) => !isClosed(status)).map((task) => [task.id, task.title]),
    );
    return new Map(
      (tasks ?? []).flatMap((task) => {
        const run = runs.byTask.get(task.id);
        const asks = asking.get(task.assigneeId);
        const strip = stripOf({
          task,
          run,
          queuedSince: queued.get(task.id),
          // A card does not say for which task it is: it came since this one is worked on.
          askingSince: run && asks !== undefined && asks >= run.startedAt ? asks : undefined,
          session: task.assigneeId === undefined ? undefined : sessions[task.assigneeId],
          unfinished: task.dependsOn.flatMap((id) => open.get(id) ?? []),
        });
        return strip ? [[task.id, strip] as const] : [];
      }),
    );
  }, [tasks, runs, queue, items, sessions, projectId]);
  const merged = mergeStrips(kept, strips);
  if (merged !== kept) setKept(merged);
  return merged;
}
