import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names =
  | 'startChat'
  | 'startProjectChat'
  | 'warmChat'
  | 'endChat'
  | 'listMessages'
  | 'postMessage'
  | 'listSteps'
  | 'retryMessage'
  | 'interruptChat'
  | 'newChat'
  | 'markRead'
  | 'unreadCounts';

interface MembershipParams {
  readonly pid: string;
  readonly aid: string;
}

const membershipOf = ({ pid, aid }: MembershipParams) => ({ projectId: pid, agentId: aid });
const ACCEPTED = { accepted: true } as const;

export function chatRoutes({ chat, history, presence, steps, warming }: RestContext): HandlersOf<Names> {
  return {
    startChat: ({ person, params, body }) => chat.start(person, { ...membershipOf(params), ...body }),
    warmChat: ({ person, params }) => warming.warm(person, membershipOf(params)),
    startProjectChat: ({ person, params, body }) =>
      chat.startDefault(person, { projectId: params.pid, ...body }),
    endChat: ({ person, params, body }) => chat.end(person, { ...membershipOf(params), ...body }),
    listMessages: async ({ person, params, query: { viewerId, ...query } }) => {
      const page = await history.list(person, { ...membershipOf(params), ...query });
      if (viewerId !== undefined) await presence.renewViewer(person, { ...membershipOf(params), viewerId });
      return page;
    },
    postMessage: async ({ person, params, body, reply }) => {
      const { content, clientMessageId, relatedTaskId, attachments } = body;
      const input = { ...membershipOf(params), content, clientMessageId, relatedTaskId, attachments };
      const { message, created } = await chat.post(person, input);
      if (!created) reply.code(200);
      return message;
    },
    listSteps: ({ person, params, query }) =>
      steps.list(person, { ...membershipOf(params), messageId: params.mid, stepId: query.step }),
    retryMessage: async ({ person, params }) => {
      await chat.retry(person, { ...membershipOf(params), messageId: params.mid });
      return ACCEPTED;
    },
    interruptChat: async ({ person, params }) => {
      await chat.interrupt(person, membershipOf(params));
      return ACCEPTED;
    },
    newChat: async ({ person, params }) => {
      await chat.newContext(person, membershipOf(params));
      return ACCEPTED;
    },
    markRead: ({ person, params, body }) => history.markRead(person, { ...membershipOf(params), ...body }),
    unreadCounts: ({ person, params }) => history.unreadCounts(person, params.pid),
  };
}
