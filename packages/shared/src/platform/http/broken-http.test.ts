import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { refuseBrokenHttp } from './broken-http.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const POST = 'POST /late HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n';

const LARGE = 1_000_000;
const POST_LARGE = POST.replace('4', `${LARGE + 4}`);

test.each([
  ['the headers', 'had begun', POST, '\r\nrest'],
  ['the end of the body', 'had begun', `${POST}\r\nre`, 'st'],
  ['the end of the body', 'had not begun', `${POST}\r\nre`, 'st'],
  ['the end of a large body', 'had not begun', `${POST_LARGE}\r\n${'x'.repeat(LARGE)}`, 'rest'],
])('%s came too late for a handler that %s to read: 408, and not executed', async (...row) => {
  const [, when, beginning, rest] = row;
  const { promise: isRefused, resolve: refused } = Promise.withResolvers<void>();
  const executed: (string | undefined)[] = [];
  const limits = { headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 20 };
  const server = createServer(limits, async (request, response) => {
    if (request.method === 'POST' && when === 'had not begun') await isRefused;
    const body = await text(request).catch(() => undefined);
    if (body !== undefined) executed.push(request.url);
    response.end();
  });
  server.on('clientError', refuseBrokenHttp);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;

  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(beginning);
  const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  expect(`${answer}`).toMatch(/^HTTP\/1\.1 408 /);
  refused();
  socket.write(rest);
  await once(socket, 'close');
  Object.assign(server, { headersTimeout: 0, requestTimeout: 0 });
  await fetch(`http://127.0.0.1:${port}/next`);
  expect(executed).toEqual(['/next']);
});
