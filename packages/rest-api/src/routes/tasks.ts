import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names =
  | 'listTasks'
  | 'createTask'
  | 'getTask'
  | 'updateTask'
  | 'deleteTask'
  | 'listTaskProposals'
  | 'decideTaskProposal'
  | 'listTaskComments'
  | 'createTaskComment'
  | 'deleteTaskComment'
  | 'markTaskCommentsRead'
  | 'listTaskHistory'
  | 'listTaskAttempts'
  | 'listAttemptSteps';

export function taskRoutes({ tasks, taskRecords, proposals }: RestContext): HandlersOf<Names> {
  return {
    listTasks: ({ person, params, query }) => tasks.list(person, params.pid, query),
    createTask: ({ person, params, body }) => tasks.create(person, params.pid, body),
    getTask: ({ person, params }) => tasks.get(person, params.tid),
    updateTask: ({ person, params, body }) => tasks.update(person, params.tid, body),
    deleteTask: async ({ person, params }) => {
      await tasks.remove(person, params.tid);
      return undefined;
    },
    listTaskProposals: ({ person, params }) => proposals.list(person, params.tid),
    decideTaskProposal: ({ person, params, body }) => proposals.decide(person, params.proposalId, body),
    listTaskComments: ({ person, params, query }) => taskRecords.comments(person, params.tid, query),
    createTaskComment: ({ person, params, body }) => taskRecords.comment(person, params.tid, body),
    deleteTaskComment: async ({ person, params }) => {
      await taskRecords.deleteComment(person, params.tid, params.commentId);
      return undefined;
    },
    markTaskCommentsRead: async ({ person, params, body }) => {
      await taskRecords.markRead(person, params.tid, body);
      return undefined;
    },
    listTaskHistory: ({ person, params, query }) => taskRecords.history(person, params.tid, query),
    listTaskAttempts: ({ person, params }) => taskRecords.attempts(person, params.tid),
    listAttemptSteps: ({ person, params }) => taskRecords.steps(person, { taskId: params.tid, n: params.n }),
  };
}
