import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { Task } from '@aizuchi/shared/contract/task';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { keys } from '../queries/keys.ts';
import type { LiveFrame } from './wire.ts';

/**
 * Brings a frame into the query cache, for what several features read. Messages belong to the chat, which follows
 * the frames itself (useLiveFrames).
 */
export function applyFrame(client: QueryClient, frame: LiveFrame): void {
  const { projectId } = frame;
  switch (frame.type) {
    case 'task_changed':
      patch<readonly Task[]>(client, keys.tasks(projectId), (tasks) =>
        'task' in frame ? withTask(tasks, frame.task) : tasks.filter((task) => task.id !== frame.taskId),
      );
      return;
    case 'session_changed':
      patchSession(client, frame);
      return;
    case 'unread_changed':
      void client.invalidateQueries({ queryKey: keys.unread(projectId) });
      return;
    case 'coordinators_changed':
      void client.invalidateQueries({ queryKey: keys.coordinators });
      return;
    default:
      return;
  }
}

/** Replaces or adds; an older version never replaces a newer one. */
export function withTask(tasks: readonly Task[], task: Task): readonly Task[] {
  const index = tasks.findIndex((one) => one.id === task.id);
  if (index < 0) return [...tasks, task];
  return (tasks[index]?.version ?? 0) > task.version ? tasks : tasks.with(index, task);
}

type SessionFrame = Extract<LiveFrame, { type: 'session_changed' }>;

/** The frame names the status only: the ring turns at once, counts and times are asked for. */
function patchSession(
  client: QueryClient,
  { projectId, agentId, chatStatus, phase, reason }: SessionFrame,
): void {
  const queryKey = keys.agentSessions(projectId);
  client.setQueryData<Readonly<Record<string, AgentSessionView>>>(queryKey, (sessions) => {
    if (!sessions) return sessions;
    const {
      phase: _phase,
      reason: _reason,
      ...before
    } = sessions[agentId] ?? {
      chat: 0,
      task: 0,
      since: new Date().toISOString(),
    };
    const next = {
      ...before,
      chatStatus,
      ...(phase !== undefined && { phase }),
      ...(reason !== undefined && { reason }),
    };
    return { ...sessions, [agentId]: next };
  });
  void client.invalidateQueries({ queryKey });
}

/** A read that is under way may have been answered before the change and would put the old back: it starts again. */
export function patch<T>(client: QueryClient, queryKey: QueryKey, change: (data: T) => T): void {
  client.setQueryData<T>(queryKey, (data) => (data === undefined ? data : change(data)));
  if (client.isFetching({ queryKey, exact: true }) > 0)
    void client.invalidateQueries({ queryKey, exact: true });
}
