import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { notFound } from './error-handler.ts';
import { isApiPath } from './gate.ts';

/** The path is the same from src and from dist, which are siblings. */
const BUILT_PAGE = fileURLToPath(new URL('../../../web/dist/', import.meta.url));
const PLACEHOLDER = fileURLToPath(new URL('../../public/', import.meta.url));

const PAGE_HEADERS = { 'cache-control': 'no-cache' };
const YEAR_SECONDS = 365 * 86_400;

/**
 * Serves the page at /. The page has its own router, so every address that is not one of ours gets the page; a
 * missing name with an extension is 404. Files below assets carry a hash of their content in their names; browsers
 * revalidate the others on each request.
 */
export async function addPage(app: FastifyInstance): Promise<void> {
  const isBuilt = existsSync(join(BUILT_PAGE, 'index.html'));
  const root = isBuilt ? BUILT_PAGE : PLACEHOLDER;
  const open = { config: { open: true }, schema: { hide: true } };
  const sendPage = (reply: FastifyReply) => reply.headers(PAGE_HEADERS).sendFile('index.html');
  await app.register(fastifyStatic, { root, serve: false, cacheControl: false, preCompressed: true });
  app.get('/', open, (_request, reply) => sendPage(reply));
  app.get('/assets/*', open, (request, reply) => {
    if (isBuilt) reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`);
    return reply.sendFile(request.url.split(/[?#]/, 1)[0] ?? '');
  });
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'index.html' || /\.(?:gz|br)$/.test(entry.name)) continue;
    app.get(`/${entry.name}`, open, (_request, reply) => reply.headers(PAGE_HEADERS).sendFile(entry.name));
  }
  app.setNotFoundHandler((request, reply) => {
    const [path = '/'] = request.url.split(/[?#]/, 1);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || isApiPath(path) || extname(path) !== '' || !isPlain(path)) throw notFound();
    return sendPage(reply);
  });
}

/**
 * True if the path is as a browser would send it: without `..` in any encoding and without empty parts at its start.
 */
function isPlain(path: string): boolean {
  return URL.parse(path, 'http://page')?.pathname === path;
}
