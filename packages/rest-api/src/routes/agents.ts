import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names =
  | 'listAgents'
  | 'createAgent'
  | 'getAgent'
  | 'updateAgent'
  | 'deleteAgent'
  | 'setPasskey'
  | 'deletePasskey';

export function agentRoutes({ agents }: RestContext): HandlersOf<Names> {
  return {
    listAgents: ({ person, query }) => agents.list(person, query),
    createAgent: ({ person, body }) => agents.create(person, body),
    getAgent: ({ person, params }) => agents.get(person, params.aid),
    updateAgent: ({ person, params, body }) => agents.update(person, params.aid, body),
    deleteAgent: async ({ person, params }) => {
      await agents.remove(person, params.aid);
      return undefined;
    },
    setPasskey: ({ person, params, body }) => agents.setPasskey(person, params.aid, body),
    deletePasskey: async ({ person, params }) => {
      await agents.removePasskey(person, params.aid);
      return undefined;
    },
  };
}
