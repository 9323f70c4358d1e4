import { Readable } from 'node:stream';
import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names =
  | 'listMemoryEvents'
  | 'getMemoryEvent'
  | 'deleteMemoryEvent'
  | 'listMemoryStates'
  | 'updateMemoryState'
  | 'deleteMemoryState'
  | 'listMemoryRevisions'
  | 'getMemoryMood'
  | 'listMemoryThreads'
  | 'searchMemory'
  | 'getRetrievalRun'
  | 'importMemory'
  | 'eraseMemory'
  | 'exportMemoryOfPerson'
  | 'eraseMemoryOfPerson'
  | 'getMemoryIndexing'
  | 'retryMemoryGrowth';

export function memoryRoutes({
  memories,
  memoryOverview,
  memoryPeople,
  memorySearch,
  memoryImport,
}: RestContext): HandlersOf<Names> {
  return {
    listMemoryEvents: ({ person, params, query }) => memories.listEvents(person, params.aid, query),
    getMemoryEvent: ({ person, params, query }) => memories.getEvent(person, itemOf(params, query)),
    deleteMemoryEvent: async ({ person, params, query }) => {
      await memories.deleteEvent(person, itemOf(params, query));
      return undefined;
    },
    listMemoryStates: ({ person, params, query }) => memories.listStates(person, params.aid, query),
    updateMemoryState: ({ person, params, query, body }) =>
      memories.updateState(person, itemOf(params, query), body),
    deleteMemoryState: async ({ person, params, query }) => {
      await memories.deleteState(person, itemOf(params, query));
      return undefined;
    },
    listMemoryRevisions: ({ person, params, query }) =>
      memories.listRevisions(person, { agentId: params.aid, id: params.id }, query),
    getMemoryMood: ({ person, params, query }) => memoryOverview.mood(person, params.aid, query),
    listMemoryThreads: ({ person, params, query }) => memoryOverview.threads(person, params.aid, query),
    searchMemory: ({ person, params, body }) => memorySearch.search(person, params.aid, body),
    getRetrievalRun: ({ person, params, query }) =>
      memorySearch.getRun(person, { agentId: params.aid, runId: params.runId }, query),
    importMemory: ({ person, params, query, request }) =>
      memoryImport.run(
        person,
        { agentId: params.aid, ...query },
        request.readPieces?.() ?? Readable.from([]),
      ),
    eraseMemory: async ({ person, params, query }) => {
      await memories.erase(person, params.aid, query);
      return undefined;
    },
    exportMemoryOfPerson: ({ person, params }) =>
      memoryPeople.export(person, { agentId: params.aid, personId: params.personId }),
    eraseMemoryOfPerson: async ({ person, params }) => {
      await memoryPeople.erase(person, { agentId: params.aid, personId: params.personId });
      return undefined;
    },
    getMemoryIndexing: ({ person, params, query }) => memories.indexing(person, params.aid, query),
    retryMemoryGrowth: ({ person, params, query }) => memories.retryGrowth(person, itemOf(params, query)),
  };
}

function itemOf(params: { aid: string; id: string }, query: { projectId?: string | undefined }) {
  return { agentId: params.aid, id: params.id, projectId: query.projectId };
}
