import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

export function presenceRoutes({
  presence,
}: RestContext): HandlersOf<'agentSessions' | 'overview' | 'pendingPurposes' | 'coordinators'> {
  return {
    agentSessions: async ({ person, params }) => ({
      agentSessions: await presence.agentSessions(person, params.pid),
    }),
    overview: ({ person }) => presence.overview(person),
    pendingPurposes: async ({ person, params, query }) => ({
      pendingPurposes: await presence.pendingPurposes(person, params.pid, query.includeRecent),
    }),
    coordinators: async ({ person }) => ({ coordinators: await presence.coordinators(person) }),
  };
}
