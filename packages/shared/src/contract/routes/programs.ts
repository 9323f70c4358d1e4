import { programsOfHostsSchema } from '../programs.ts';
import type { RouteDefinition } from './route.ts';

export const PROGRAMS_ROUTES = {
  hostPrograms: {
    method: 'GET',
    path: '/api/programs',
    caller: 'owner',
    tag: 'Agents',
    summary: 'Which programs for agents the hosts of the live Coordinators have, as they saw it last',
    success: 200,
    response: programsOfHostsSchema,
  },
  lookForPrograms: {
    method: 'POST',
    path: '/api/programs/look',
    caller: 'owner',
    tag: 'Agents',
    summary:
      'Ask the Coordinators to look for programs; those that have looked in the last ten seconds are not asked',
    description: 'They answer within some seconds: `isLooking` says which have not yet.',
    success: 200,
    response: programsOfHostsSchema,
  },
} as const satisfies Record<string, RouteDefinition>;
