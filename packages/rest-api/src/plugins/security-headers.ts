import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';
import { isApiPath } from './gate.ts';

/** Nothing from other servers and no inline script: text that an agent writes must never run in the page. */
const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:', 'blob:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  manifestSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

/** The documentation page sets styles from its script. */
export const DOCUMENTATION_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const middleware = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY_POLICY },
  // The product serves http on loopback; a proxy that serves https sets this header itself.
  strictTransportSecurity: false,
  frameguard: { action: 'deny' },
});

/**
 * Calls helmet once: the headers are the same for every response, and computing them for each response would cost 35
 * µs of the 600 µs of a request on the hot path.
 */
function fixedHeaders(): Readonly<Record<string, string>> {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  middleware(request, response, () => undefined);
  return Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
}

/** Scripts, styles and fonts of the page. A picture may be opened as a document of its own, so it is none of them. */
const PART_OF_A_DOCUMENT = /^\/assets\/[^?#]*\.(?:js|css|woff2)$/;
/** The others say what a document may do, and count for nothing else: 900 bytes of each of the 30 files of a page. */
const FOR_PARTS = ['x-content-type-options', 'cross-origin-resource-policy'];

export function addSecurityHeaders(app: FastifyInstance): void {
  const headers = fixedHeaders();
  const apiHeaders = { ...headers, 'cache-control': 'no-store' };
  const partHeaders = Object.fromEntries(FOR_PARTS.map((name) => [name, headers[name] ?? '']));
  app.addHook('onRequest', (request, reply, done) => {
    if (PART_OF_A_DOCUMENT.test(request.url)) reply.headers(partHeaders);
    else reply.headers(isApiPath(request.url) ? apiHeaders : headers);
    done();
  });
}
