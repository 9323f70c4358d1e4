import {
  dismissInboxBodySchema,
  inboxQuerySchema,
  inboxSchema,
  listPutAwayQuerySchema,
  putAwayPageSchema,
  restoreInboxBodySchema,
} from '../inbox.ts';
import {
  answerQuestionBodySchema,
  listQuestionsQuerySchema,
  questionPageSchema,
  questionSchema,
} from '../question.ts';
import { pid, toolUseId } from './params.ts';
import type { RouteDefinition } from './route.ts';

export const QUESTIONS_ROUTES = {
  listQuestions: {
    method: 'GET',
    path: '/api/projects/:pid/questions',
    caller: 'person',
    tag: 'Questions',
    summary: 'The cards of a project, newest first: what agents ask, and what became of it',
    description:
      'A page holds at most 1 MiB of questions and answers: it may be shorter than `limit`. `nextCursor` is null behind the last one.',
    isLarge: true,
    params: pid,
    query: listQuestionsQuerySchema,
    success: 200,
    response: questionPageSchema,
  },
  answerQuestion: {
    method: 'POST',
    path: '/api/questions/:toolUseId/answer',
    caller: 'writer',
    tag: 'Questions',
    summary: 'Answer all questions of a card; the first valid answer wins',
    params: toolUseId,
    body: answerQuestionBodySchema,
    success: 200,
    response: questionSchema,
  },
  inbox: {
    method: 'GET',
    path: '/api/inbox',
    caller: 'person',
    tag: 'Questions',
    summary: 'What waits for the caller in all his projects, the longest first',
    query: inboxQuerySchema,
    success: 200,
    response: inboxSchema,
  },
  dismissInbox: {
    method: 'POST',
    path: '/api/inbox/dismiss',
    caller: 'person',
    tag: 'Questions',
    summary: "Put failures and blocked tasks away, out of the caller's inbox only",
    description:
      'With `until` they come back then. What happens again is shown again. Questions and approvals are answered, unread messages are read: they cannot be put away.',
    body: dismissInboxBodySchema,
    success: 204,
  },
  listPutAway: {
    method: 'GET',
    path: '/api/inbox/put-away',
    caller: 'person',
    tag: 'Questions',
    summary:
      "What the caller has put away and what would be in the caller's inbox otherwise, last put away first",
    description:
      'What has happened again since, is over, or whose time has come is not listed: it is in the inbox, or waits no more. A viewer acts on nothing, so only mentions are in the list of a viewer.',
    query: listPutAwayQuerySchema,
    success: 200,
    response: putAwayPageSchema,
  },
  restoreInbox: {
    method: 'POST',
    path: '/api/inbox/restore',
    caller: 'person',
    tag: 'Questions',
    summary: 'Take back what was put away',
    body: restoreInboxBodySchema,
    success: 204,
  },
} as const satisfies Record<string, RouteDefinition>;
