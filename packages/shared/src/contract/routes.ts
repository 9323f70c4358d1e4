import type { z } from 'zod';
import { AGENTS_ROUTES } from './routes/agents.ts';
import { APPROVALS_ROUTES } from './routes/approvals.ts';
import { AUTH_ROUTES } from './routes/auth.ts';
import { CHAT_ROUTES } from './routes/chat.ts';
import { CONVERSATIONS_ROUTES } from './routes/conversations.ts';
import { DOCUMENTATION_ROUTES } from './routes/documentation.ts';
import { HEALTH_ROUTES } from './routes/health.ts';
import { MEMORY_ROUTES } from './routes/memory.ts';
import { NOTIFICATIONS_ROUTES } from './routes/notifications.ts';
import { PROGRAMS_ROUTES } from './routes/programs.ts';
import { PROJECTS_ROUTES } from './routes/projects.ts';
import { QUESTIONS_ROUTES } from './routes/questions.ts';
import type { RouteDefinition } from './routes/route.ts';
import { RUNS_ROUTES } from './routes/runs.ts';
import { SCHEDULES_ROUTES } from './routes/schedules.ts';
import { SEARCH_ROUTES } from './routes/search.ts';
import { SETTINGS_ROUTES } from './routes/settings.ts';
import { TASKS_ROUTES } from './routes/tasks.ts';
import { TURNS_ROUTES } from './routes/turns.ts';
import { USAGE_ROUTES } from './routes/usage.ts';
import { VISION_ROUTES } from './routes/vision.ts';

export type { RouteCaller, RouteDefinition } from './routes/route.ts';

/**
 * Every route of the REST server, in one table: the server registers exactly these; OpenAPI and clients read
 * the table too.
 */
export const ROUTES = {
  ...HEALTH_ROUTES,
  ...AUTH_ROUTES,
  ...AGENTS_ROUTES,
  ...PROGRAMS_ROUTES,
  ...PROJECTS_ROUTES,
  ...TASKS_ROUTES,
  ...CHAT_ROUTES,
  ...RUNS_ROUTES,
  ...CONVERSATIONS_ROUTES,
  ...QUESTIONS_ROUTES,
  ...APPROVALS_ROUTES,
  ...NOTIFICATIONS_ROUTES,
  ...SCHEDULES_ROUTES,
  ...USAGE_ROUTES,
  ...SEARCH_ROUTES,
  ...MEMORY_ROUTES,
  ...VISION_ROUTES,
  ...SETTINGS_ROUTES,
  ...TURNS_ROUTES,
  ...DOCUMENTATION_ROUTES,
} as const satisfies Record<string, RouteDefinition>;

export type Routes = typeof ROUTES;
export type RouteName = keyof Routes;

type PartOf<R, K extends string> = R extends { readonly [P in K]: infer S extends z.ZodType } ? S : never;

/** The input of a handler: the parts of the request after validation. */
export interface RouteInput<N extends RouteName> {
  readonly params: [PartOf<Routes[N], 'params'>] extends [never]
    ? undefined
    : z.output<PartOf<Routes[N], 'params'>>;
  readonly query: [PartOf<Routes[N], 'query'>] extends [never]
    ? undefined
    : z.output<PartOf<Routes[N], 'query'>>;
  readonly body: [PartOf<Routes[N], 'body'>] extends [never]
    ? undefined
    : z.output<PartOf<Routes[N], 'body'>>;
}

/** The result of a handler, as a client reads it. */
export type RouteOutput<N extends RouteName> = Routes[N] extends {
  readonly contentType: 'text/event-stream' | 'application/x-ndjson';
}
  ? AsyncIterable<string>
  : Routes[N] extends { readonly contentType: 'application/octet-stream' }
    ? Uint8Array
    : [PartOf<Routes[N], 'response'>] extends [never]
      ? undefined
      : z.output<PartOf<Routes[N], 'response'>>;
