import { request } from 'node:http';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHealthServer } from './health-server.ts';

const app = buildHealthServer({
  version: '0',
  registry: new Registry(),
  token: 'token',
  place: { isLoopback: true, allowedHosts: [] },
  trustProxy: false,
  logger: createLogger('coordinator', { level: 'silent' }),
  isReady: async () => true,
});
let port = 0;
beforeAll(async () => {
  port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
});
afterAll(() => app.close());

/** fetch sets Host and Origin by itself; here the test sets them. */
function get(path: string, headers: Record<string, string> = {}): Promise<{ status: number; code?: string }> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
      });
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        resolve(status === 200 ? { status } : { status, code: JSON.parse(text).error.code });
      });
    });
    call.on('error', reject);
    call.end();
  });
}

test('it answers under its own names, and refuses pages of other origins', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    expect(await get(path)).toEqual({ status: 200 });
    expect(await get(path, { host: `localhost:${port}` })).toEqual({ status: 200 });
    expect(await get(path, { host: 'evil.example' })).toEqual({ status: 403, code: 'host_not_allowed' });
    expect(await get(path, { origin: 'http://evil.example' })).toEqual({
      status: 403,
      code: 'origin_not_allowed',
    });
  }
});

test('an unknown address is answered in the error form of the contract', async () => {
  expect(await get('/nope')).toEqual({ status: 404, code: 'not_found' });
});
