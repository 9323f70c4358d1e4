import type { RouteDefinition } from '@aizuchi/shared/contract/routes';
import type { Person } from '@aizuchi/shared/core/access/person';
import type { Clock } from '@aizuchi/shared/platform/clock';
import { AppError } from '@aizuchi/shared/platform/errors';
import { addressGroup, isFromThisHost } from '@aizuchi/shared/platform/http/address';
import { FailureLimit } from '@aizuchi/shared/platform/http/failure-limit';
import type { PlaceCheck } from '@aizuchi/shared/platform/http/host-and-origin';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Credentials, credentialsOf } from './credentials.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; undefined on routes that need no credentials. */
    person: Person | undefined;
  }
  interface FastifyContextConfig {
    route?: RouteDefinition;
    /** A route outside the route table that needs no credentials: the page's files. */
    open?: boolean;
    /** A route outside the route table that identifies its caller itself; undefined if that happens later. */
    admit?: (request: FastifyRequest) => Promise<Person | undefined>;
  }
}

export interface GateOptions {
  readonly identify: (credentials: Credentials) => Promise<Person>;
  readonly place: PlaceCheck;
  /** 0 means no limit. */
  readonly rateLimitPerMinute: number;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
}

type Limit = ReturnType<FastifyInstance['createRateLimit']>;

/** Per address. */
const WRONG_BEARERS_PER_MINUTE = 60;

/** The first three checks of every request, in this order: 401, 403 for host or origin, 429. */
export class Gate {
  readonly #options: GateOptions;
  readonly #limit: Limit | undefined;
  readonly #wrongBearers: FailureLimit | undefined;

  private constructor(options: GateOptions, limit: Limit | undefined) {
    this.#options = options;
    this.#limit = limit;
    if (limit) this.#wrongBearers = new FailureLimit(WRONG_BEARERS_PER_MINUTE, options.clock);
  }

  static async register(app: FastifyInstance, options: GateOptions): Promise<Gate> {
    const max = options.rateLimitPerMinute;
    if (max > 0)
      await app.register(rateLimit, { global: false, max, timeWindow: 60_000, keyGenerator: callerKey });
    const gate = new Gate(options, max > 0 ? app.createRateLimit() : undefined);
    app.decorateRequest('person', undefined);
    app.addHook('onRequest', (request) => gate.check(request));
    return gate;
  }

  async check(request: FastifyRequest): Promise<void> {
    if (this.#options.isStopping())
      throw new AppError('unavailable', 'The server is stopping.', { retryAfterSeconds: 2 });
    const { route, admit } = request.routeOptions.config;
    try {
      if (admit) request.person = await admit(request);
      else if (this.#needsPerson(request, route)) request.person = await this.#identify(request);
    } catch (error) {
      throw this.#failed(request, error);
    }
    this.#options.place.check(request.headers);
    // The page's files are not counted either: otherwise no person behind a busy address could sign in.
    const isCounted = isApiPath(request.url) && route?.tag !== 'Health' && !route?.hasOwnLimit;
    if (this.#limit && isCounted) await this.#countCall(request, this.#limit);
  }

  /** An unknown address below /api needs credentials; pages do not. */
  #needsPerson(request: FastifyRequest, route: RouteDefinition | undefined): boolean {
    if (route?.caller === 'public' || request.routeOptions.config.open) return false;
    if (route?.caller === 'local') return !isFromThisHost(request.raw);
    return route !== undefined || isApiPath(request.url);
  }

  async #identify(request: FastifyRequest): Promise<Person> {
    const credentials = credentialsOf(request);
    if (!credentials?.token) throw notSignedIn();
    return this.#options.identify(credentials);
  }

  /**
   * Wrong bearers are limited per address. Each is still looked up first, by an index, so that a right bearer from
   * the same address is never refused. Cookies are not limited, because the page must learn that its sign-in has
   * ended.
   */
  #failed(request: FastifyRequest, error: unknown): unknown {
    const limit = this.#wrongBearers;
    const isWrong = error instanceof AppError && error.code === 'unauthenticated';
    if (!limit || !isWrong || request.headers.authorization === undefined) return error;
    const group = addressGroup(request.ip);
    limit.add(group);
    if (!limit.isOver(group)) return error;
    return new AppError('rate_limited', 'Too many wrong tokens from this address.', {
      retryAfterSeconds: limit.retryAfterSeconds(group),
    });
  }

  async #countCall(request: FastifyRequest, limit: Limit): Promise<void> {
    const result = await limit(request);
    if (result.isAllowed || !result.isExceeded) return;
    throw new AppError('rate_limited', 'Too many calls in this minute. Wait, then go on.', {
      retryAfterSeconds: Math.max(1, result.ttlInSeconds),
    });
  }
}

export function notSignedIn(): AppError {
  return new AppError('unauthenticated', 'Sign in first, or send a valid token.');
}

export function isApiPath(url: string): boolean {
  return /^\/api(?:[/?#]|$)/.test(url);
}

function callerKey(request: FastifyRequest): string {
  return request.person ? `person:${request.person.id}` : `address:${request.ip}`;
}
