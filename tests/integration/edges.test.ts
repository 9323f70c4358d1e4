import type { Server } from 'node:http';
import { EDGE_LIMITS, type EdgeLimits } from '@aizuchi/shared/platform/http/edge-limits';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildHealthServer } from '../../packages/coordinator/src/health-server.ts';
import { createMetrics } from '../../packages/coordinator/src/metrics.ts';
import { FakeServices } from '../../packages/mcp-server/src/testing/fake-services.ts';
import { startTestApp } from '../../packages/mcp-server/src/testing/test-app.ts';
import { RestWorld } from '../../packages/rest-api/test/rest-world.ts';
import { RawConnection, sendRaw } from './raw-http.ts';

interface Started {
  readonly server: Server;
  readonly port: number;
  readonly stop: () => Promise<unknown>;
}

type Start = (edge?: Partial<EdgeLimits>) => Promise<Started>;

const startRest: Start = async (edge) => {
  const world = await RestWorld.create(edge && { edge });
  return { server: world.app.server.server, port: world.port, stop: () => world.close() };
};
const startMcp: Start = async (edge) => {
  const { app, port, stop } = await startTestApp(new FakeServices(), edge && { edge });
  return { server: app.server, port, stop };
};
const startCoordinator: Start = async (edge) => {
  const app = buildHealthServer({
    version: '0',
    registry: createMetrics(
      () => ({ handles: [] }),
      () => 0,
      () => 0,
    ).registry,
    token: 'token',
    place: { isLoopback: true, allowedHosts: [] },
    trustProxy: false,
    logger: createLogger('coordinator', { level: 'silent' }),
    isReady: async () => true,
    ...(edge && { edge }),
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { server: app.server, port: Number(new URL(url).port), stop: () => app.close() };
};

const SERVERS = [
  ['rest-api', startRest, '/api/auth/login'],
  ['mcp-server', startMcp, '/mcp'],
  ['coordinator', startCoordinator, '/healthz'],
] as const;

/** Much shorter than in the product, and longer than a busy machine may stop the client that is served meanwhile. */
const QUICK = {
  headersMs: 1_500,
  requestMs: 2_000,
  idleMs: 3_200,
  checkMs: 50,
} satisfies Partial<EdgeLimits>;
const EACH = 50;
const BYTE_EVERY_MS = 100;

/** A connection whose request was answered so. A client that a busy machine stopped counts as slow: it asks again. */
async function answered(port: number, request: string, status: number, again = 2): Promise<RawConnection> {
  const connection = new RawConnection(port);
  connection.socket.write(request);
  const given = await connection.status();
  if (given === 408 && again > 0) return answered(port, request, status, again - 1);
  expect(given).toBe(status);
  return connection;
}

describe.each(SERVERS)('%s', (_name, start, path) => {
  describe('in operation', () => {
    let at: Started;
    beforeAll(async () => {
      at = await start();
    });
    afterAll(() => at.stop());

    test('has the limits of the product', () => {
      const { server } = at;
      expect({
        headersMs: server.headersTimeout,
        requestMs: server.requestTimeout,
        idleMs: server.keepAliveTimeout,
        total: server.maxConnections,
      }).toEqual({
        headersMs: EDGE_LIMITS.headersMs,
        requestMs: EDGE_LIMITS.requestMs,
        idleMs: EDGE_LIMITS.idleMs,
        total: EDGE_LIMITS.total,
      });
      // Held calls mean that an answer may take any time.
      expect(server.timeout).toBe(0);
    });

    test.each([
      ['its own host', '/healthz', ['Host: OURS'], 200],
      ['its own host in the target too', 'http://OURS/healthz', ['Host: OURS'], 200],
      ['the same host twice', '/healthz', ['Host: OURS', 'Host: OURS'], 400],
      ['two different hosts', '/healthz', ['Host: OURS', 'host: evil.example'], 400],
      ['no host', '/healthz', [], 400],
      ['another host in the target', 'http://evil.example/healthz', ['Host: OURS'], 400],
      ['another host in both', 'http://evil.example/healthz', ['Host: evil.example'], 403],
      ['a list of hosts', '/healthz', ['Host: OURS, OURS'], 403],
      ['an empty host', '/healthz', ['Host:'], 403],
      ['a target that is not a path', 'ftp://OURS/healthz', ['Host: OURS'], 400],
      ['another host', '/healthz', ['Host: evil.example'], 403],
      ['metrics, from this host', '/metrics', ['Host: OURS'], 200],
      ['metrics, with X-Forwarded-For', '/metrics', ['Host: OURS', 'X-Forwarded-For: 192.0.2.7'], 401],
      ['metrics, with Forwarded', '/metrics', ['Host: OURS', 'Forwarded: for=192.0.2.7'], 401],
      ['metrics, with X-Real-IP', '/metrics', ['Host: OURS', 'X-Real-IP: 192.0.2.7'], 401],
      ['metrics, with Via', '/metrics', ['Host: OURS', 'Via: 1.1 proxy'], 401],
    ])('%s: GET %s', async (_what, target, headers, expected) => {
      const ours = (text: string) => text.replaceAll('OURS', `127.0.0.1:${at.port}`);
      const lines = [`GET ${target} HTTP/1.1`, ...headers, 'Connection: close', '', ''];
      const { status, text } = await sendRaw(at.port, ours(lines.join('\r\n')));
      expect(status, text).toBe(expected);
      if (expected === 400) expect(text).toContain('"code":"invalid_input"');
    });

    test('HTTP/1.0 without a Host header is refused', async () => {
      expect((await sendRaw(at.port, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(403);
    });
  });

  describe('with slow clients', () => {
    let at: Started;
    beforeAll(async () => {
      at = await start(QUICK);
    });
    afterAll(() => at.stop());
    const post = () =>
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${at.port}\r\nContent-Type: application/json\r\n`;

    test.each([
      ['a body that comes a byte at a time', () => `${post()}Content-Length: 100000\r\n\r\n{`, ' '],
      ['a body that never ends', () => `${post()}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`, ''],
      ['headers that come a byte at a time', () => `${post()}X-Slow: `, 'x'],
      ['nothing at all', () => '', ''],
      ['line feeds alone', () => '\r\n', '\r\n'],
    ])('%s: closed, and others are served meanwhile', async (_what, beginning, piece) => {
      const slow = Array.from({ length: EACH }, () => new RawConnection(at.port));
      const ends = slow.map((connection) => {
        connection.socket.write(beginning());
        return connection.trickle(piece, BYTE_EVERY_MS);
      });
      const right = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${at.port}\r\nConnection: close\r\n\r\n`;
      const served = await answered(at.port, right, 200);
      await served.closed;
      expect(served.received).toContain('"status":"ok"');
      await Promise.all(ends);
    });

    test('a request that is not complete in time is answered 408', async () => {
      const connection = new RawConnection(at.port);
      connection.socket.write('GET /healthz HTTP/1.1\r\n');
      expect(await connection.status()).toBe(408);
      expect(connection.received).toContain('"code":"invalid_input"');
      await connection.closed;
    });

    test('line feeds between two requests do not keep a connection', async () => {
      const request = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${at.port}\r\n\r\n`;
      await (await answered(at.port, request, 200)).trickle('\r\n', BYTE_EVERY_MS);
    });

    test('a connection that is not HTTP is closed, also when the client keeps it open', async () => {
      await (await answered(at.port, 'hello\r\n\r\n', 400)).trickle('', BYTE_EVERY_MS);
    });
  });
});

test('every slow connection is closed within a minute', () => {
  expect(EDGE_LIMITS.requestMs + EDGE_LIMITS.checkMs).toBeLessThanOrEqual(60_000);
  expect(EDGE_LIMITS.headersMs).toBeLessThan(EDGE_LIMITS.requestMs);
  // docs/performance.md: 5,000 held calls from loopback.
  expect(EDGE_LIMITS.perLoopback).toBeGreaterThanOrEqual(10_000);
  expect(EDGE_LIMITS.total).toBeGreaterThan(EDGE_LIMITS.perLoopback);
  expect(EDGE_LIMITS.perAddress).toBe(1_024);
});
