import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const CSRF_HEADER = 'x-aizuchi-csrf';
const DEVICE_COOKIE_SECONDS = 365 * 24 * 3_600;

type CookieName = 'aizuchi_session' | 'aizuchi_device';

/** A bearer; or the token out of the page's cookie together with the value that had to come beside it. */
export interface Credentials {
  readonly token: string;
  readonly csrf?: string;
}

/** What a request came with; a cookie without its header is nothing. */
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
  // A header that is no bearer is a failed try, not an invitation to use the cookie.
  return match?.[1] ?? '';
}

export function sessionCookie(request: FastifyRequest): string | undefined {
  return cookieOf(request, 'aizuchi_session');
}

/** What says that this browser has signed in before (shared, device-marks.ts). */
export function deviceCookie(request: FastifyRequest): string | undefined {
  return cookieOf(request, 'aizuchi_device');
}

/** Browsers say with every POST where it comes from, programs do not. */
export function isFromBrowser(request: FastifyRequest): boolean {
  return request.headers.origin !== undefined;
}

function cookieOf(request: FastifyRequest, name: CookieName): string | undefined {
  const header = request.headers.cookie;
  return header === undefined ? undefined : request.server.parseCookie(header)[nameFor(request, name)];
}

/**
 * The cookie must open nothing by itself, not even as a bearer: every server on another port of this host is
 * sent it. So it holds the token under a pad that only the CSRF value gives, and that one never leaves the page.
 */
export function sealCookie({ token, csrf }: Required<Credentials>): string {
  return padded(token, csrf);
}

export function unsealCookie(cookie: string, csrf: string): Credentials {
  return { token: padded(cookie, csrf), csrf };
}

/** Both values are random, of 256 bits, and belong to one sign-in: a one-time pad. Its own inverse. */
function padded(text: string, csrf: string): string {
  const pad = createHash('sha256').update(`aizuchi cookie ${csrf}`).digest();
  const bytes = Buffer.from(text, 'base64url');
  return Buffer.from(bytes.map((byte, index) => byte ^ (pad[index % pad.length] ?? 0))).toString('base64url');
}

/**
 * Cookies are shared by all ports of a host: two instances on one host must not overwrite each other's, so the
 * name carries the port that the browser sees.
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

/** Outlives the sign-in, and signing out. */
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

/** No domain: the host alone gets it. */
function cookieOptions(secure: boolean) {
  return { path: '/api', httpOnly: true, sameSite: 'strict', secure } as const;
}
