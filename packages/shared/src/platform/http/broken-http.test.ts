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

test.each([
  ['the headers', POST, '\r\nrest'],
  ['the end of the body', `${POST}\r\nre`, 'st'],
])('%s of a request came too late: it is answered 408, and not executed', async (_what, beginning, rest) => {
  const executed: (string | undefined)[] = [];
  const limits = { headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 20 };
  const server = createServer(limits, async (request, response) => {
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
  socket.write(rest);
  await once(socket, 'close');
  await fetch(`http://127.0.0.1:${port}/next`);
  expect(executed).toEqual(['/next']);
});
