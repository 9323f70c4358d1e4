import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const CSRF_HEADER = 'x-aizuchi-csrf';

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
  const header = request.headers.cookie;
  return header === undefined ? undefined : request.server.parseCookie(header)[cookieName(request)];
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
function cookieName(request: FastifyRequest): string {
  const port = /:(\d+)$/.exec(request.headers.host ?? '')?.[1];
  return port === undefined ? 'aizuchi_session' : `aizuchi_session_${port}`;
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  cookie: { value: string; expires: Date; secure: boolean },
) {
  reply.setCookie(cookieName(request), cookie.value, {
    ...cookieOptions(cookie.secure),
    expires: cookie.expires,
  });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, secure: boolean) {
  reply.clearCookie(cookieName(request), cookieOptions(secure));
}

/** No domain: the host alone gets it. */
function cookieOptions(secure: boolean) {
  return { path: '/api', httpOnly: true, sameSite: 'strict', secure } as const;
}
