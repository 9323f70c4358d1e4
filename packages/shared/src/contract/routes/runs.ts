import { z } from 'zod';
import { changesSchema, decideChangesBodySchema } from '../changes.ts';
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
  getRunChanges: {
    method: 'GET',
    path: '/api/runs/:rid/changes',
    caller: 'person',
    tag: 'Runs',
    summary: 'What changed in the worktree of a run, with its diffs',
    description:
      'While the run lives its Coordinator is asked for the current state. 404 `changes_not_found`: the run has no worktree, or the run after it has taken it over. 503 `unavailable`: nothing was seen yet and the Coordinator does not answer.',
    isLarge: 'after_waiting',
    params: rid,
    success: 200,
    response: changesSchema,
  },
  decideRunChanges: {
    method: 'POST',
    path: '/api/runs/:rid/changes',
    caller: 'writer',
    tag: 'Runs',
    summary: 'Keep the changes of a run, as a merge into the branch of the project’s folder, or discard them',
    description:
      'Carried out by the Coordinator that has the worktree. 409 `changes_conflict`, with `paths`: nothing was touched, and it can be decided again. 409 `run_not_ended`, `changes_already_decided`. The same decision again gives the same answer.',
    isLarge: 'after_waiting',
    params: rid,
    body: decideChangesBodySchema,
    success: 200,
    response: changesSchema,
  },
} as const satisfies Record<string, RouteDefinition>;
