import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

export function usageRoutes({ usage, agentUsage }: RestContext): HandlersOf<'projectUsage' | 'agentUsage'> {
  return {
    projectUsage: ({ person, params, query }) => usage.ofProject(person, params.pid, query),
    agentUsage: ({ person, params, query }) => agentUsage.ofAgent(person, params.aid, query),
  };
}
