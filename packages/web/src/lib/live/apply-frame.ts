import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { Task } from '@aizuchi/shared/contract/task';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { keys } from '../queries/keys.ts';
import { type ConversationPages, newerOf, withConversation } from './conversation-pages.ts';
import { invalidate } from './invalidate.ts';
import { cardOf, type QuestionPages, withCard, withOutcome } from './question-pages.ts';
import type { LiveFrame } from './wire.ts';

/**
 * Applies a frame to the query cache, for data that several features read. Not messages: the chat handles their frames
 * itself (useProjectFrames).
 */
export function applyFrame(client: QueryClient, frame: LiveFrame): void {
  const { projectId } = frame;
  switch (frame.type) {
    case 'task_changed':
      patchQuery<readonly Task[]>(client, keys.tasks(projectId), (tasks) =>
        'task' in frame ? withTask(tasks, frame.task) : tasks.filter((task) => task.id !== frame.taskId),
      );
      return;
    case 'conversation_changed':
      applyConversation(client, frame.conversation);
      return;
    case 'session_changed':
      applySession(client, frame);
      return;
    case 'user_question':
      // The frame has whole seconds: the exact position is read again.
      patchQuery<QuestionPages>(client, keys.questions(projectId), (pages) => {
        const next = withCard(pages, cardOf(frame));
        if (next !== pages) invalidate(client, { queryKey: keys.questions(projectId) });
        return next;
      });
      return;
    case 'question_resolved':
      // The card closes at once; the exact time is read again.
      patchQuery<QuestionPages>(client, keys.questions(projectId), (pages) => withOutcome(pages, frame));
      invalidate(client, { queryKey: keys.questions(projectId) });
      return;
    case 'message':
      // Messages of people never count as unread.
      if (frame.message.sender !== 'user') invalidate(client, { queryKey: keys.unread(projectId) });
      return;
    case 'unread_changed':
      invalidate(client, { queryKey: keys.unread(projectId) });
      return;
    case 'run_changed':
      invalidate(client, { queryKey: keys.runs(projectId) });
      return;
    case 'coordinators_changed':
      invalidate(client, { queryKey: keys.coordinators });
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

function applyConversation(client: QueryClient, conversation: Conversation): void {
  const { projectId, id } = conversation;
  patchQuery<ConversationPages>(client, keys.conversations(projectId), (pages) =>
    withConversation(pages, conversation),
  );
  patchQuery<Conversation>(client, keys.conversation(projectId, id), (known) => newerOf(known, conversation));
}

type SessionFrame = Extract<LiveFrame, { type: 'session_changed' }>;

function applySession(client: QueryClient, frame: SessionFrame): void {
  const { projectId, agentId, type: _type, cursor: _cursor, ...session } = frame;
  patchQuery<Readonly<Record<string, AgentSessionView>>>(
    client,
    keys.agentSessions(projectId),
    (sessions) => ({
      ...sessions,
      [agentId]: session,
    }),
  );
}

/** Changes cached data. A running read starts again, because its response may be older than the change. */
export function patchQuery<T>(client: QueryClient, queryKey: QueryKey, change: (data: T) => T): void {
  client.setQueryData<T>(queryKey, (data) => (data === undefined ? data : change(data)));
  if (client.isFetching({ queryKey, exact: true }) > 0) invalidate(client, { queryKey, exact: true });
}
