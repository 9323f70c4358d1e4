import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names = 'listQuestions' | 'answerQuestion' | 'inbox' | 'dismissInbox' | 'listPutAway' | 'restoreInbox';

export function questionRoutes({ questions, inbox }: RestContext): HandlersOf<Names> {
  return {
    listQuestions: ({ person, params, query }) => questions.list(person, params.pid, query),
    answerQuestion: ({ person, params, body }) => questions.answer(person, params.toolUseId, body.answers),
    inbox: ({ person, query }) => inbox.list(person, query.limit),
    dismissInbox: async ({ person, body }) => {
      await inbox.dismiss(person, body);
      return undefined;
    },
    listPutAway: ({ person, query }) => inbox.listPutAway(person, query),
    restoreInbox: async ({ person, body }) => {
      await inbox.restore(person, body);
      return undefined;
    },
  };
}
