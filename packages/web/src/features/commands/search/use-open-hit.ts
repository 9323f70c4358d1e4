import type { SearchItem } from '@aizuchi/shared/contract/search';
import { useNavigate } from '@tanstack/react-router';
import { withoutChat } from '../../../lib/chat-search.ts';
import { useInProject } from '../use-in-project.ts';

/** Whether there is a place in the page that shows the hit; a memory that was not said in a chat has none. */
export function hasPlace({ kind, conversationId, messageId, agentId }: SearchItem): boolean {
  if (kind === 'task') return true;
  return conversationId !== undefined || (messageId !== undefined && agentId !== undefined);
}

/** Goes to the task, the message or the conversation. */
export function useOpenHit(projectId: string): (item: SearchItem) => void {
  const navigate = useNavigate();
  const inProject = useInProject(projectId);
  const params = { projectId };
  return ({ kind, id, conversationId, messageId, agentId }) => {
    if (kind === 'task')
      void navigate({
        to: '/projects/$projectId',
        params,
        search: ({ agent }) => ({ ...(agent !== undefined && { agent }), task: id }),
      });
    else if (conversationId !== undefined)
      void navigate({
        to: '/projects/$projectId/conversations',
        params,
        search: (search) => ({ ...withoutChat(search), conversation: conversationId }),
      });
    else if (messageId !== undefined && agentId !== undefined)
      void inProject((search) => ({ ...withoutChat(search), agent: agentId, message: messageId }));
  };
}
