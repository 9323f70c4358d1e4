import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names = 'listQuestions' | 'answerQuestion' | 'inbox';

export function questionRoutes({ questions, inbox }: RestContext): HandlersOf<Names> {
  return {
    listQuestions: ({ person, params, query }) => questions.list(person, params.pid, query),
    answerQuestion: ({ person, params, body }) => questions.answer(person, params.toolUseId, body.answers),
    inbox: ({ person, query }) => inbox.list(person, query.limit),
  };
}
