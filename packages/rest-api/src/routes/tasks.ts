import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names = 'listTasks' | 'createTask' | 'getTask' | 'updateTask' | 'deleteTask';

export function taskRoutes({ tasks }: RestContext): HandlersOf<Names> {
  return {
    listTasks: ({ person, params, query }) => tasks.list(person, params.pid, query),
    createTask: ({ person, params, body }) => tasks.create(person, params.pid, body),
    getTask: ({ person, params }) => tasks.get(person, params.tid),
    updateTask: ({ person, params, body }) => tasks.update(person, params.tid, body),
    deleteTask: async ({ person, params }) => {
      await tasks.remove(person, params.tid);
      return undefined;
    },
  };
}
