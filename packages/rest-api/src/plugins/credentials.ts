// Its types extend those of fastify.

import { createHash } from 'node:crypto';
import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const CSRF_HEADER = 'x-aizuchi-csrf';
const DEVICE_COOKIE_SECONDS = 365 * 24 * 3_600;

type CookieName = 'aizuchi_session' | 'aizuchi_device';

/** A bearer token, or the token from the page's cookie together with the CSRF value that must accompany it. */
export interface Credentials {
  readonly token: string;
  readonly csrf?: string;
}

/** The credentials of a request. A cookie without the CSRF header counts as no credentials. */
export function credentialsOf(request: FastifyRequest): Credentials | undefined {
  const bearer = bearerOf(request);
  if (bearer !== undefined) return { token: bearer };
  const cookie = sessionCookie(request);
  const csrf = request.headers[CSRF_HEADER];
  return cookie !== undefined && typeof csrf === 'string' ? unsealCookie(cookie, csrf) : undefined;
}

function bearerOf(request: FastifyRequest): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return undefined;
  const match = /^Bearer +(\S+) *$/i.exec(header);
  // A header that holds no bearer is a failed attempt; the cookie is not tried instead.
  return match?.[1] ?? '';
}

export function sessionCookie(request: FastifyRequest): string | undefined {
  return cookieOf(request, 'aizuchi_session');
}

/** The device cookie, which proves that this browser has signed in before (`device-marks.ts` in shared). */
export function deviceCookie(request: FastifyRequest): string | undefined {
  return cookieOf(request, 'aizuchi_device');
}

/** Browsers send their origin with every POST; programs do not. */
export function isFromBrowser(request: FastifyRequest): boolean {
  return request.headers.origin !== undefined;
}

function cookieOf(request: FastifyRequest, name: CookieName): string | undefined {
  const header = request.headers.cookie;
  return header === undefined ? undefined : request.server.parseCookie(header)[nameFor(request, name)];
}

/**
 * The cookie alone must not work as a credential, not even as a bearer, because browsers send it to every server on
 * every port of this host. So it holds the token encrypted with the CSRF value, and the CSRF value never leaves the
 * page.
 */
export function sealCookie({ token, csrf }: Required<Credentials>): string {
  return padded(token, csrf);
}

export function unsealCookie(cookie: string, csrf: string): Credentials {
  return { token: padded(cookie, csrf), csrf };
}

/**
 * Token and CSRF value are random, have 256 bits and belong to one sign-in, so XOR is a one-time pad. It is its own
 * inverse.
 */
function padded(text: string, csrf: string): string {
  const pad = createHash('sha256').update(`aizuchi cookie ${csrf}`).digest();
  const bytes = Buffer.from(text, 'base64url');
  return Buffer.from(bytes.map((byte, index) => byte ^ (pad[index % pad.length] ?? 0))).toString('base64url');
}

/**
 * All ports of a host share cookies. The name carries the port that the browser sees, so that two instances on one
 * host do not overwrite each other's cookies.
 */
function nameFor(request: FastifyRequest, name: CookieName): string {
  const port = /:(\d+)$/.exec(request.headers.host ?? '')?.[1];
  return port === undefined ? name : `${name}_${port}`;
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  cookie: { value: string; expires: Date; secure: boolean },
) {
  reply.setCookie(nameFor(request, 'aizuchi_session'), cookie.value, {
    ...cookieOptions(cookie.secure),
    expires: cookie.expires,
  });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, secure: boolean) {
  reply.clearCookie(nameFor(request, 'aizuchi_session'), cookieOptions(secure));
}

/** The cookie outlives the sign-in and is not deleted by a sign-out. */
export function setDeviceCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  cookie: { value: string; secure: boolean },
) {
  reply.setCookie(nameFor(request, 'aizuchi_device'), cookie.value, {
    ...cookieOptions(cookie.secure),
    path: '/api/auth',
    maxAge: DEVICE_COOKIE_SECONDS,
  });
}

/** No domain, so that browsers send the cookie to this host only. */
function cookieOptions(secure: boolean) {
  return { path: '/api', httpOnly: true, sameSite: 'strict', secure } as const;
}
