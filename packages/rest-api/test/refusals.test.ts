import { connect } from 'node:net';
import { ROUTES, type RouteDefinition } from '@aizuchi/shared/contract/routes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';

let world: RestWorld;
let owner: Caller;
let membership: { projectId: string; agentId: string };

beforeAll(async () => {
  world = await RestWorld.create();
  owner = await world.owner();
  membership = await world.project();
});
afterAll(() => world.close());

describe('bodies', () => {
  test.each([
    ['broken JSON', '{"name":', {}],
    ['a body that is not JSON', 'hello', {}],
    ['null', 'null', {}],
    ['an array', '[]', {}],
    ['an unknown key', '{"name":"x","nmae":"y"}', {}],
    ['a wrong type', '{"name":7}', {}],
    ['an empty name', '{"name":"  "}', {}],
    ['a poisoned prototype', '{"name":"x","__proto__":{"a":1}}', {}],
    ['U+0000', '{"name":"a\\u0000b"}', {}],
    ['a lone surrogate', '{"name":"\\ud800"}', {}],
    ['text', '{"name":"x"}', { 'content-type': 'text/plain' }],
    ['a form', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('%s is 400 and stores nothing', async (_what, body, headers) => {
    const before = await count();
    const response = await world.call(owner, 'POST', '/api/projects', body, { headers });
    expect(response).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
    expect(await count()).toBe(before);
  });

  test('bytes that are not UTF-8 are 400 and are not stored in an altered form', async () => {
    const response = await fetch(`${world.url}/api/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: Buffer.from('{"name":"caf\xe9"}', 'latin1'),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_input' } });
  });

  test('a route without body refuses one', async () => {
    const url = `/api/projects/${membership.projectId}/agents/${membership.agentId}`;
    expect((await world.call(owner, 'PUT', url, { role: 'x' })).status).toBe(400);
    expect((await world.call(owner, 'PUT', url)).status).toBe(200);
  });

  test('an empty body is accepted where none is needed, also with content type JSON', async () => {
    const url = `/api/projects/${membership.projectId}/agents/${membership.agentId}/chat/end`;
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      expect((await world.call(owner, 'POST', url, undefined, { headers })).status).toBe(200);
    }
  });

  test('2 MiB are refused before they are read', async () => {
    const response = await fetch(`${world.url}/api/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) }),
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'payload_too_large' } });
  });

  test('a body that is nested too deeply for the stack is answered', async () => {
    const answers = '['.repeat(200_000) + ']'.repeat(200_000);
    const url = '/api/questions/toolu_none/answer';
    expect((await world.call(owner, 'POST', url, `{"answers":${answers}}`)).status).toBe(404);
  });

  async function count(): Promise<number> {
    return (await world.call(owner, 'GET', '/api/projects?limit=200')).body.projects.length;
  }
});

describe.each([
  ['U+0000', 'a\u0000b'],
  ['a lone surrogate', 'a\ud800b'],
])('%s is refused in all input', (_what, text) => {
  const url = (route: RouteDefinition, value: string) => route.path.replaceAll(/:\w+/g, value);
  const refused = {
    status: 400,
    body: { error: { code: 'invalid_input', message: expect.stringMatching(/not a valid text/) } },
  };

  // A body that is streamed is checked line by line (memory.test.ts).
  test.each(routesWith('body').filter(({ streamed }) => !streamed))(
    'in a body: $method $path',
    async (route) => {
      const deep = { deep: [{ deep: text }] };
      expect(await world.call(owner, route.method, url(route, 'x'), deep)).toMatchObject(refused);
      const name = { deep: { [text]: 1 } };
      expect(await world.call(owner, route.method, url(route, 'x'), name)).toMatchObject(refused);
    },
  );

  // A URL cannot hold a lone surrogate.
  if (text.isWellFormed()) {
    test.each(routesWith('params'))('in an address: $method $path', async (route) => {
      const address = url(route, encodeURIComponent(text));
      expect(await world.call(owner, route.method, address)).toMatchObject(refused);
    });

    test.each(routesWith('query'))('in a query: $method $path', async (route) => {
      const address = `${url(route, 'x')}?q=${encodeURIComponent(text)}`;
      const body = route.body && {};
      expect(await world.call(owner, route.method, address, body)).toMatchObject(refused);
    });
  }
});

function routesWith(part: 'params' | 'query' | 'body'): RouteDefinition[] {
  return Object.values<RouteDefinition>(ROUTES).filter((route) => route[part] !== undefined);
}

describe('addresses', () => {
  test.each([
    ['GET', '/api/nothing', 'not_found'],
    ['GET', '/api', 'not_found'],
    ['PUT', '/api/agents', 'not_found'],
    ['OPTIONS', '/api/agents', 'not_found'],
    ['POST', '/', 'not_found'],
    ['GET', '/missing.js', 'not_found'],
    ['GET', '/assets/missing.css', 'not_found'],
    ['GET', '/assets/..%2f..%2fpackage.json', 'not_found'],
    ['GET', '/api/ws', 'not_found'],
    ['GET', '/api/projects/..%2f..%2fetc', 'project_not_found'],
    ['GET', '/api/projects/user', 'project_not_found'],
  ] as const)('%s %s is 404 %s', async (method, url, code) => {
    const response = await world.call(owner, method, url);
    expect(response).toMatchObject({ status: 404, body: { error: { code } } });
  });

  test.each([
    '/api/projects/%zz',
    '/api/projects/a%00b',
    '/api/projects?limit=0',
    '/api/projects?limit=201',
    '/api/projects?limit=x',
    '/api/projects?page=2',
  ])('GET %s is 400', async (url) => {
    const response = await world.call(owner, 'GET', url);
    expect(response).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
  });

  test('an id that is longer than any valid one is unknown', async () => {
    const get = async (length: number) =>
      (await world.call(owner, 'GET', `/api/agents/${'a'.repeat(length)}`)).body;
    expect(await get(199)).toMatchObject({ error: { code: 'agent_not_found' } });
    expect(await get(201)).toMatchObject({ error: { code: 'not_found' } });
    expect(await get(5_000)).toMatchObject({ error: { code: 'not_found' } });
  });

  test('an unknown or broken address below /api needs credentials', async () => {
    expect((await world.call(undefined, 'GET', '/api/nothing')).status).toBe(401);
    expect((await world.call(undefined, 'GET', '/api/projects/%zz')).status).toBe(401);
  });

  test('a request that is not valid HTTP gets the same kind of answer', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(world.port, '127.0.0.1', () => socket.write('hello\r\n\r\n'));
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"code":"invalid_input"');
  });
});

describe('the page', () => {
  test.each(['/', '/login', '/projects/prj_a', '/inbox?x=1'])('GET %s is the page', async (url) => {
    const response = await world.call(undefined, 'GET', url);
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toContain('text/html');
    expect(response.text).toContain('<title>Aizuchi</title>');
    expect(response.text).not.toMatch(/<script(?![^>]*src=)|style=/);
    const policy = String(response.headers['content-security-policy']);
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe');
  });

  test.each([
    ['/assets/none.js', false],
    ['/assets/none.css', false],
    ['/assets/none.woff2', false],
    ['/assets/none.svg', true],
    ['/assets/none.html', true],
    ['/assets/none?.js', true],
    ['/sw.js', true],
    ['/api/none.js', true],
  ])('%s says what a document may do: %s', async (path, isSaid) => {
    const { headers } = await world.call(undefined, 'GET', path);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['content-security-policy'] !== undefined).toBe(isSaid);
    expect(headers['x-frame-options'] !== undefined).toBe(isSaid);
  });

  test('its files need no cookie', async () => {
    const { text } = await world.call(undefined, 'GET', '/');
    const files = [...text.matchAll(/(?:href|src)="(\/[^"]*\.\w+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const response = await world.call(undefined, 'GET', file);
      expect(response.status).toBe(200);
      expect(response.headers['set-cookie']).toBeUndefined();
    }
  });

  test('API answers are not cached', async () => {
    expect((await world.call(owner, 'GET', '/api/auth/me')).headers['cache-control']).toBe('no-store');
  });
});

describe('failures of our own', () => {
  test('an unexpected error is 500 without its text, and one line in the log', async () => {
    const failing = await RestWorld.create();
    try {
      const caller = await failing.owner();
      const { agents } = failing.context;
      agents.list = async () => {
        throw new Error('secret table "agents" at /srv/private');
      };
      const response = await failing.call(caller, 'GET', '/api/agents');
      expect(response.status).toBe(500);
      expect(response.body).toEqual({
        error: { code: 'internal', message: expect.not.stringMatching(/secret|srv|agents/) },
      });
      expect(failing.log.filter((line) => line.includes('/srv/private'))).toHaveLength(1);
    } finally {
      await failing.close();
    }
  });

  test('an unavailable database is 503 with Retry-After', async () => {
    const away = await RestWorld.create();
    try {
      const caller = await away.owner();
      const { port } = away;
      await away.context.database.close();
      const broken = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      away.context.auth.identify = async () => {
        throw broken;
      };
      const response = await away.call(caller, 'GET', '/api/agents');
      expect(response).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      expect(port).toBeGreaterThan(0);
    } finally {
      await away.app.server.close();
    }
  });

  test('trap 12: no secret is in the log, and each request has one line', async () => {
    const quiet = await RestWorld.create();
    try {
      const person = await quiet.person('member', { passkey: 'a-secret-passkey' });
      await quiet.call(undefined, 'POST', '/api/auth/login', {
        agentId: person.id,
        passkey: 'a-secret-passkey',
      });
      await quiet.call(person, 'GET', '/api/auth/me?secret=query-secret');
      const lines = quiet.log.filter((line) => line.includes('"msg":"request"'));
      expect(lines).toHaveLength(2);
      expect(quiet.log.join('')).not.toMatch(/secret-passkey|query-secret|Bearer/);
      expect(quiet.log.join('')).not.toContain(person.token);
      expect(lines[1]).toContain(`"caller":"${person.id}"`);
    } finally {
      await quiet.close();
    }
  });
});
