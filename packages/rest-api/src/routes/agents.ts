import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names =
  | 'listAgents'
  | 'createAgent'
  | 'getAgent'
  | 'updateAgent'
  | 'deleteAgent'
  | 'setPasskey'
  | 'inviteAgent'
  | 'deletePasskey'
  | 'offeredModels'
  | 'knownModels'
  | 'hostPrograms'
  | 'lookForPrograms';

export function agentRoutes({ agents, models, programs, offeredModels }: RestContext): HandlersOf<Names> {
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
    inviteAgent: ({ person, params }) => agents.invite(person, params.aid),
    offeredModels: ({ person, body }) => offeredModels(person, body),
    hostPrograms: ({ person }) => programs.known(person),
    lookForPrograms: ({ person }) => programs.look(person),
    knownModels: ({ person, query }) => models.known(person, query),
    deletePasskey: async ({ person, params }) => {
      await agents.removePasskey(person, params.aid);
      return undefined;
    },
  };
}
