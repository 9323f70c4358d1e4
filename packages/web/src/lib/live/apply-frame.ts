import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { Task } from '@aizuchi/shared/contract/task';
import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../queries/keys.ts';
import { applyCardFrame, type CardLists } from './apply-card-frame.ts';
import { type ConversationPages, newerOf, withConversation } from './conversation-pages.ts';
import { invalidateSoon } from './invalidate-soon.ts';
import { patchQuery } from './patch-query.ts';
import type { LiveFrame } from './wire.ts';

/**
 * Applies a frame to the query cache, for data that several features read. Not messages: the chat handles their frames
 * itself (useProjectFrames).
 */
export function applyFrame(client: QueryClient, frame: LiveFrame, lists: CardLists): void {
  const { projectId } = frame;
  switch (frame.type) {
    case 'task_changed':
      patchQuery<readonly Task[]>(client, keys.tasks(projectId), (tasks) =>
        'task' in frame ? withTask(tasks, frame.task) : tasks.filter((task) => task.id !== frame.taskId),
      );
      if ('task' in frame) void client.invalidateQueries({ queryKey: keys.task(projectId, frame.task.id) });
      return;
    case 'conversation_changed':
      applyConversation(client, frame.conversation);
      return;
    case 'session_changed':
      applySession(client, frame);
      invalidateSoon(client, keys.overview);
      return;
    case 'user_question':
    case 'question_resolved':
    case 'approval_request':
    case 'approval_resolved':
      applyCardFrame(client, frame, lists);
      return;
    case 'message':
      // Messages of people never count as unread.
      if (frame.message.sender !== 'user')
        void client.invalidateQueries({ queryKey: keys.unread(projectId) });
      return;
    case 'unread_changed':
      void client.invalidateQueries({ queryKey: keys.unread(projectId) });
      return;
    case 'run_changed':
      invalidateSoon(client, keys.runs(projectId));
      // With a process ends an attempt, also without a change of its task.
      invalidateSoon(client, keys.taskRecords(projectId));
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

/** Takes over a conversation as the server has it, in every list that shows it. */
export function applyConversation(client: QueryClient, conversation: Conversation): void {
  const { projectId, id, initiatorAgentId, participantAgentId } = conversation;
  const lists = [
    keys.conversations(projectId),
    ...[initiatorAgentId, participantAgentId].map((aid) => keys.chatConversations(projectId, aid)),
  ];
  for (const list of lists)
    patchQuery<ConversationPages>(client, list, (pages) => withConversation(pages, conversation));
  patchQuery<Conversation>(client, keys.conversation(projectId, id), (known) => newerOf(known, conversation));
  if (conversation.taskId !== undefined)
    void client.invalidateQueries({ queryKey: keys.task(projectId, conversation.taskId, 'conversations') });
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
