import {
  agentUsageQuerySchema,
  agentUsageReportSchema,
  usageQuerySchema,
  usageReportSchema,
} from '../usage.ts';
import { aid, pid } from './params.ts';
import type { RouteDefinition } from './route.ts';

export const USAGE_ROUTES = {
  projectUsage: {
    method: 'GET',
    path: '/api/projects/:pid/usage',
    caller: 'person',
    tag: 'Usage',
    summary: 'Tokens, cost and time of the answers in a project, by agent, day or model',
    description:
      'Sums of whole days of AIZUCHI_TIMEZONE. `from` and `to` are dates, both included, or instants, which stand for the day that holds them; a `to` at midnight stands for the day that ends then. Without `to` until today, without `from` the 30 days up to `to`; at most 366 days. `key` is the id of the agent, the date, or the model; answers that name no model have the key `unknown`. By model the 200 with the most tokens are given.',
    params: pid,
    query: usageQuerySchema,
    success: 200,
    response: usageReportSchema,
  },
  agentUsage: {
    method: 'GET',
    path: '/api/agents/:aid/usage',
    caller: 'person',
    tag: 'Usage',
    summary: 'Tokens, cost and time of the answers of an agent, by day, model or project',
    description:
      'Of the projects that the caller may see. `from` and `to` as in the usage of a project; the answer says which days they are. `today` and `todayEndsAt` are those by which a daily limit is counted.',
    params: aid,
    query: agentUsageQuerySchema,
    success: 200,
    response: agentUsageReportSchema,
  },
} as const satisfies Record<string, RouteDefinition>;
