import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

export function searchRoutes({ search }: RestContext): HandlersOf<'searchProject'> {
  return {
    searchProject: ({ person, params, body }) => search.ofProject(person, params.pid, body),
  };
}
