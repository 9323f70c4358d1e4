import { projectSearchSchema, searchProjectBodySchema } from '../search.ts';
import { pid } from './params.ts';
import type { RouteDefinition } from './route.ts';

export const SEARCH_ROUTES = {
  searchProject: {
    method: 'POST',
    path: '/api/projects/:pid/search',
    caller: 'person',
    tag: 'Search',
    summary: 'Find tasks, answered chat messages, conversations and memories of a project',
    description:
      'Searches the tasks and the memories of all AI agents of the project. What an agent remembers of a chat message is the kind `chat`, of a conversation `conversation`; what it learnt, and what was imported, is `memory`. `marks` are the parts of a text that fit the query, in UTF-16 units. `counts` are of all kinds that were searched, `total` of those that were asked for. When the memory service is away, tasks alone are found, and `degraded` holds `memory_unavailable`; `collector_late`: the memory of some agents is missing.',
    isLarge: true,
    params: pid,
    body: searchProjectBodySchema,
    success: 200,
    response: projectSearchSchema,
  },
} as const satisfies Record<string, RouteDefinition>;
