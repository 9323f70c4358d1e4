import { messagePageSchema } from '../chat.ts';
import {
  conversationPageSchema,
  conversationSchema,
  listConversationMessagesQuerySchema,
  listConversationsQuerySchema,
} from '../conversation.ts';
import { cid, pid } from './params.ts';
import type { RouteDefinition } from './route.ts';

export const CONVERSATIONS_ROUTES = {
  listConversations: {
    method: 'GET',
    path: '/api/projects/:pid/conversations',
    caller: 'person',
    tag: 'Conversations',
    summary: 'Conversations between the agents of a project, the newest first',
    description:
      'A page holds at most 1 MiB of closing lines: it may be shorter than `limit`. `nextCursor` is null behind the last one.',
    isLarge: true,
    params: pid,
    query: listConversationsQuerySchema,
    success: 200,
    response: conversationPageSchema,
  },
  getConversation: {
    method: 'GET',
    path: '/api/conversations/:cid',
    caller: 'person',
    tag: 'Conversations',
    summary: 'One conversation',
    params: cid,
    success: 200,
    response: conversationSchema,
  },
  listConversationMessages: {
    method: 'GET',
    path: '/api/conversations/:cid/messages',
    caller: 'person',
    tag: 'Conversations',
    summary: 'What the two agents said, each page oldest first',
    description:
      'A page holds at most 1 MiB of contents, and always one message: it may be shorter than `limit`. `hasMore` says whether there are more in the direction that was asked for.',
    isLarge: true,
    params: cid,
    query: listConversationMessagesQuerySchema,
    success: 200,
    response: messagePageSchema,
  },
  endConversation: {
    method: 'POST',
    path: '/api/conversations/:cid/end',
    caller: 'writer',
    tag: 'Conversations',
    summary: 'Stop a conversation; one that has ended stays as it is',
    params: cid,
    success: 200,
    response: conversationSchema,
  },
} as const satisfies Record<string, RouteDefinition>;
