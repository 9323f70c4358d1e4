import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendRaw } from '../../../tests/integration/raw-http.ts';
import { RestWorld } from './rest-world.ts';

let world: RestWorld;
beforeAll(async () => {
  world = await RestWorld.create();
});
afterAll(() => world.close());

const PREFIXES = ['/assets/', '/api/docs/static/', '/', '/api/docs/'];
const OUTSIDE = 'package.json';
const PATHS = [
  `../../${OUTSIDE}`,
  `../../../../../../../etc/passwd`,
  `%2e%2e/%2e%2e/${OUTSIDE}`,
  `%2E%2E%2F%2E%2E%2F${OUTSIDE}`,
  `..%2f..%2f${OUTSIDE}`,
  `..%5c..%5c${OUTSIDE}`,
  `..\\..\\${OUTSIDE}`,
  `%252e%252e/%252e%252e/${OUTSIDE}`,
  `..;/..;/${OUTSIDE}`,
  `/x.js`,
  `//etc/passwd`,
  `./x.js`,
  `x/../x.js`,
  `.../x.js`,
  `%00.js`,
  `x%00.js`,
  `%zz.js`,
  `%c0%ae%c0%ae/${OUTSIDE}`,
  `%ff.js`,
  `.git/config.js`,
  `.env.js`,
  `CON.js`,
  `${'x'.repeat(5_000)}.js`,
  `${'../'.repeat(1_000)}${OUTSIDE}`,
  `${'x/'.repeat(2_000)}x.js`,
];

test.each(PREFIXES.flatMap((prefix) => PATHS.map((path) => `${prefix}${path}`)))(
  'GET %s is not found and not a server error',
  async (target) => {
    const before = world.log.length;
    const head = `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\nConnection: close\r\n\r\n`;
    const { status, text } = await sendRaw(world.port, head);
    expect([400, 401, 404], text.slice(0, 500)).toContain(status);
    expect(text).not.toMatch(/"private"|"dependencies"|root:/);
    expect(world.log.slice(before).join('')).not.toMatch(/"stack"|unexpected error/);
  },
);

test.each([
  ['an invalid range', { range: 'bytes=999999999-' }],
  ['a condition that fails', { 'if-match': '"other"' }],
  ['an unknown encoding', { 'accept-encoding': 'x'.repeat(2_000) }],
])('%s is not a server error', async (_what, headers) => {
  for (const path of ['/', '/api/docs/static/index.html', '/api/docs/static/swagger-ui.css']) {
    const status = await new Promise<number>((resolve, reject) => {
      const host = `127.0.0.1:${world.port}`;
      const options = { host: '127.0.0.1', port: world.port, path, headers: { host, ...headers } };
      request(options, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
    expect(status, path).toBeLessThan(500);
  }
});
