import type { z } from 'zod';

/**
 * Who may call: anyone · a program on this host, or anyone signed in · anyone signed in, as far as he may see it ·
 * not viewers · owners only. The transport asks who is calling, the services decide what he may.
 */
export type RouteCaller = 'public' | 'local' | 'person' | 'writer' | 'owner';

/** The chapters of the API's documentation. */
export type RouteTag =
  | 'Health'
  | 'Auth'
  | 'Agents'
  | 'Projects'
  | 'Tasks'
  | 'Chat'
  | 'Conversations'
  | 'Questions'
  | 'Schedules'
  | 'Runs'
  | 'Settings'
  | 'Documentation';

export interface RouteDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for each parameter. */
  readonly path: `/${string}`;
  readonly caller: RouteCaller;
  /** It bounds its callers by itself: calls from one address are not counted together. */
  readonly hasOwnLimit?: true;
  readonly tag: RouteTag;
  readonly summary: string;
  /** What the summary has no room for. */
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly success: 200 | 201 | 202 | 204;
  /** The first call made it (`success`), the same call again found it. */
  readonly repeated?: 200;
  /** Absent: no body (204). */
  readonly response?: z.ZodType;
  /** Its response may have a MiB and more: few of them at once (plugins/large-answers.ts). */
  readonly isLarge?: true;
  /** Of a response that is not JSON but a text. */
  readonly contentType?: string;
}
