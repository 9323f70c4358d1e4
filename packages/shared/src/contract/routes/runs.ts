import { z } from 'zod';
import { acceptedSchema } from '../chat.ts';
import { listRunsQuerySchema, runLogQuerySchema, runPageSchema, runSchema } from '../run.ts';
import { pid, rid } from './params.ts';
import type { RouteDefinition } from './route.ts';

export const RUNS_ROUTES = {
  listRuns: {
    method: 'GET',
    path: '/api/projects/:pid/runs',
    caller: 'person',
    tag: 'Runs',
    summary: 'The processes of a project’s agents, the newest first',
    description:
      'A page holds at most 1 MiB of error texts: it may be shorter than `limit`. `nextCursor` is null behind the last one.',
    isLarge: true,
    params: pid,
    query: listRunsQuerySchema,
    success: 200,
    response: runPageSchema,
  },
  getRun: {
    method: 'GET',
    path: '/api/runs/:rid',
    caller: 'person',
    tag: 'Runs',
    summary: 'One process of an agent',
    params: rid,
    success: 200,
    response: runSchema,
  },
  getRunLog: {
    method: 'GET',
    path: '/api/runs/:rid/log',
    caller: 'person',
    tag: 'Runs',
    summary:
      'What it wrote: the last lines, or everything from a byte on. X-Log-Start and X-Log-End say which bytes came',
    isLarge: true,
    params: rid,
    query: runLogQuerySchema,
    success: 200,
    response: z.string(),
    contentType: 'text/plain',
  },
  stopRun: {
    method: 'POST',
    path: '/api/runs/:rid/stop',
    caller: 'writer',
    tag: 'Runs',
    summary: 'End the process; what it was to answer fails, and nothing starts by itself',
    params: rid,
    success: 202,
    response: acceptedSchema,
  },
} as const satisfies Record<string, RouteDefinition>;
