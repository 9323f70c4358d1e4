import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { notFound } from './error-handler.ts';
import { isApiPath } from './gate.ts';

/** Valid from src and from dist: both lie beside it. */
const PUBLIC_DIRECTORY = fileURLToPath(new URL('../../public/', import.meta.url));

/**
 * The page at /. It routes by itself, so every address that is not ours gets it; a name with an extension is a
 * file that is missing.
 */
export async function addPage(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, { root: PUBLIC_DIRECTORY, serve: false, cacheControl: false });
  app.get('/', { config: { open: true }, schema: { hide: true } }, (_request, reply) =>
    reply.sendFile('index.html'),
  );
  app.get('/assets/*', { config: { open: true }, schema: { hide: true } }, (request, reply) =>
    reply.sendFile(request.url.split(/[?#]/, 1)[0] ?? ''),
  );
  app.setNotFoundHandler((request, reply) => {
    const [path = '/'] = request.url.split(/[?#]/, 1);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || isApiPath(path) || extname(path) !== '') throw notFound();
    return reply.sendFile('index.html');
  });
}
