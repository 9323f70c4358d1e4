import type { z } from 'zod';

/**
 * Who may call: anyone · a program on this host, or anyone signed in · anyone signed in who may see the
 * object · anyone but viewers · owners only. The transport identifies the caller; the services decide what
 * the caller may do.
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
  | 'Approvals'
  | 'Notifications'
  | 'Schedules'
  | 'Runs'
  | 'Usage'
  | 'Search'
  | 'Settings'
  | 'Memory'
  | 'Documentation';

export interface RouteDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for each parameter. */
  readonly path: `/${string}`;
  readonly caller: RouteCaller;
  /** The route limits its callers by itself: calls from one address are not counted together. */
  readonly hasOwnLimit?: true;
  readonly tag: RouteTag;
  readonly summary: string;
  /** Details that do not fit into the summary. */
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly success: 200 | 201 | 202 | 204;
  /** `success`: the first call made it; this status: the same call found it again. */
  readonly repeated?: 200;
  /** The body is a stream of this type, of any size, that the handler reads. */
  readonly streamed?: string;
  /** Absent: no body (204). */
  readonly response?: z.ZodType;
  /**
   * Its response may exceed a MiB: only a few of them run at the same time (plugins/large-answers.ts). after_waiting: the
   * handler waits for another process first, and asks for its place then.
   */
  readonly isLarge?: true | 'after_waiting';
  /** In bytes; 1 MiB when absent. */
  readonly bodyLimit?: number;
  /**
   * The type of a response that is text and not JSON. `text/event-stream`, `application/x-ndjson`: the handler gives
   * its pieces. `application/octet-stream`: the handler gives bytes, and may set a type that fits them better.
   */
  readonly contentType?: string;
}
