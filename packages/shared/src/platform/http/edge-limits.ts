import type { ServerOptions } from 'node:http';

/** The limits of a server for one connection, for one address and for all together. Times in milliseconds. */
export interface EdgeLimits {
  /** From the connection, or the first byte of a further request, to the end of the headers. */
  readonly headersMs: number;
  /** The same to the end of the body. The time of the answer (held calls) is not counted. */
  readonly requestMs: number;
  /** Between two requests of one connection, and before the first. A request counts when its headers are complete. */
  readonly idleMs: number;
  /** From the end of an answer until the client has taken it. */
  readonly unreadMs: number;
  /** How often these limits are checked: a connection exceeds them by twice this time at most. */
  readonly checkMs: number;
  /** Connections of one address (of IPv6: of one /64). */
  readonly perAddress: number;
  /** The same for this host, whose programs share one address: thousands of agents each hold a call. */
  readonly perLoopback: number;
  readonly total: number;
}

export const EDGE_LIMITS: EdgeLimits = {
  headersMs: 30_000,
  // With what the check adds: closed within 60 s.
  requestMs: 55_000,
  // Above the five seconds that the seed's agents wait between two calls, and above usual proxies.
  idleMs: 75_000,
  unreadMs: 60_000,
  checkMs: 5_000,
  perAddress: 1_024,
  perLoopback: 16_384,
  total: 20_480,
};

/** For node:http, and for fastify's `http`. request-target.ts refuses a request without Host, as JSON. */
export function httpOptions(limits: EdgeLimits): ServerOptions {
  return {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
    requireHostHeader: false,
  };
}

/** Fastify sets some of them on the server itself, from options of its own. */
export function fastifyLimits(limits: EdgeLimits) {
  return {
    http: httpOptions(limits),
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
  };
}
