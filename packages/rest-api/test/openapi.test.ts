import { ROUTES, type RouteDefinition } from '@aizuchi/shared/contract/routes';
import { createLogger } from '@aizuchi/shared/platform/logger';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addErrorHandler } from '../src/plugins/error-handler.ts';
import { type Handlers, refuseUnknownRoutes, registerRoutes } from '../src/plugins/route-table.ts';
import { addSchemaCompilers } from '../src/plugins/validation.ts';
import { RestWorld } from './rest-world.ts';

let world: RestWorld;

beforeAll(async () => {
  world = await RestWorld.create();
});
afterAll(() => world.close());

interface Operation {
  operationId: string;
  summary: string;
  security: unknown[];
  parameters?: { name: string; in: string; required?: boolean }[];
  requestBody?: unknown;
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
}

async function readDocument() {
  const { status, body } = await world.call(undefined, 'GET', '/api/openapi.json');
  expect(status).toBe(200);
  return body as {
    openapi: string;
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, unknown> };
  };
}

test('the document holds every route of the table, and nothing else', async () => {
  const document = await readDocument();
  expect(document.openapi).toMatch(/^3\.1/);
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const expected = Object.values<RouteDefinition>(ROUTES)
    .filter(({ path }) => path !== ROUTES.docs.path)
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  expect(documented.toSorted()).toEqual(expected.toSorted());
});

test('each operation states its callers, its input and its answers', async () => {
  const { paths } = await readDocument();
  for (const [name, route] of Object.entries<RouteDefinition>(ROUTES)) {
    if (name === 'docs') continue;
    const operation = paths[route.path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
    expect(operation?.operationId).toBe(name);
    expect(operation?.summary).toBeTruthy();
    expect(operation?.responses[route.success]).toBeDefined();
    expect(operation?.responses.default).toBeDefined();
    expect(operation?.security.length).toBe(route.caller === 'public' ? 0 : 2);
    const inPath = (operation?.parameters ?? []).filter((parameter) => parameter.in === 'path');
    expect(inPath.map((parameter) => parameter.name)).toEqual(Object.keys(route.params?.shape ?? {}));
    if (route.success !== 204)
      expect(Object.keys(operation?.responses[route.success]?.content ?? {})).toHaveLength(1);
  }
});

test('every reference can be resolved', async () => {
  const document = await readDocument();
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(5);
  for (const [, name = ''] of references) expect(Object.keys(document.components.schemas)).toContain(name);
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining(['Agent', 'Error', 'Message', 'Project', 'Task']),
  );
});

test('the documentation page works without files from other servers', async () => {
  const page = await world.call(undefined, 'GET', '/api/docs');
  expect(page.status).toBe(200);
  expect(page.headers['content-security-policy']).not.toContain('http');
  expect(page.text).not.toMatch(/<script>[^<]|https?:\/\/(?!localhost)/);
  for (const [, source = ''] of page.text.matchAll(/<script src="([^"]+)"/g)) {
    const file = await world.call(undefined, 'GET', new URL(source, `${world.url}/api/docs`).pathname);
    expect(file.status).toBe(200);
  }
});

test('a route that is not in the table fails the start, and so does a missing one', () => {
  const app = fastify();
  refuseUnknownRoutes(app);
  addErrorHandler(app, createLogger('test', { level: 'silent' }));
  addSchemaCompilers(app, { checkResponses: false });
  expect(() => app.get('/api/secret', () => 'x')).toThrow('not in contract/routes.ts');
  expect(() => registerRoutes(app, {} as Handlers)).toThrow('has no handler');
});
