import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names = 'listConversations' | 'getConversation' | 'listConversationMessages' | 'endConversation';

export function conversationRoutes({ conversations }: RestContext): HandlersOf<Names> {
  return {
    listConversations: ({ person, params, query }) => conversations.list(person, params.pid, query),
    getConversation: ({ person, params }) => conversations.get(person, params.cid),
    listConversationMessages: ({ person, params, query }) =>
      conversations.messages(person, params.cid, query),
    endConversation: ({ person, params }) => conversations.stop(person, params.cid),
  };
}
