import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect, test } from 'vitest';
import { HttpStatusError, HttpTransport } from './http-transport.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/mcp`;
}

function open(url: string, answerWithinMs?: number) {
  const transport = new HttpTransport(new URL(url), 'the-token', answerWithinMs);
  stops.push(() => transport.close());
  const heard = new Promise<JSONRPCMessage>((resolve) => {
    transport.onmessage = resolve;
  });
  return { transport, heard };
}

const REQUEST: JSONRPCMessage = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'help' } };
const RESPONSE = { jsonrpc: '2.0', id: 7, result: { text: 'やあ' } };
const EVENT = Buffer.from(`event: message\ndata: ${JSON.stringify(RESPONSE)}\n\n`);
const LOST = {
  jsonrpc: '2.0',
  id: 7,
  error: { code: -32000, message: 'the reply ended before its response' },
};
const STREAM = { 'content-type': 'text/event-stream' };

test('a response in a stream is received, wherever its bytes are cut', async () => {
  const bearers: (string | undefined)[] = [];
  const url = await serve(async (request, response) => {
    bearers.push(request.headers.authorization);
    response.writeHead(200, STREAM);
    response.write(': held\n\n');
    // In the middle of a character.
    const cut = EVENT.indexOf('や') + 1;
    await new Promise<void>((resolve) => void response.write(EVENT.subarray(0, cut), () => resolve()));
    response.end(EVENT.subarray(cut));
  });
  const { transport, heard } = open(url);
  await transport.send(REQUEST);
  expect(await heard).toEqual(RESPONSE);
  expect(bearers).toEqual(['Bearer the-token']);
});

test('a response as JSON is received', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(RESPONSE));
  });
  const { transport, heard } = open(url);
  await transport.send(REQUEST);
  expect(await heard).toEqual(RESPONSE);
});

test.each([
  ['ends', (response: ServerResponse) => void response.end(EVENT.subarray(0, 20))],
  ['is cut off', (response: ServerResponse) => void response.destroy()],
])('a reply that %s without its response fails its request at once', async (_name, finish) => {
  const url = await serve((_request, response) => {
    response.writeHead(200, STREAM);
    response.write(': held\n\n', () => finish(response));
  });
  const { transport, heard } = open(url);
  await transport.send(REQUEST);
  expect(await heard).toEqual(LOST);
});

test('open requests fail when the transport is closed', async () => {
  const url = await serve((_request, response) => void response.writeHead(200, STREAM).write(': held\n\n'));
  const { transport, heard } = open(url);
  await transport.send(REQUEST);
  await transport.close();
  expect(await heard).toEqual(LOST);
});

test('another status, or an unreachable server, is an error of the send', async () => {
  const url = await serve((_request, response) => void response.writeHead(401).end('who are you?'));
  const error = await open(url)
    .transport.send(REQUEST)
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(HttpStatusError);
  expect(error).toMatchObject({ status: 401, message: 'the server answered 401: who are you?' });
  for (const stop of stops.splice(0).reverse()) await stop();
  await expect(open(url).transport.send(REQUEST)).rejects.toThrow('ECONNREFUSED');
});

test('a redirect is followed on the same server only', async () => {
  const elsewhere = await serve((_request, response) => void response.end(JSON.stringify(RESPONSE)));
  const url = await serve((request, response) => {
    if (request.url === '/moved') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(RESPONSE));
    } else response.writeHead(308, { location: request.url === '/away' ? elsewhere : '/moved' }).end();
  });
  const { transport, heard } = open(url);
  await transport.send(REQUEST);
  expect(await heard).toEqual(RESPONSE);
  const away = open(url.replace('/mcp', '/away')).transport;
  await expect(away.send(REQUEST)).rejects.toMatchObject({ status: 308 });
});

test('a server that accepts and never answers fails the send in time', async () => {
  const url = await serve(() => undefined);
  await expect(open(url, 50).transport.send(REQUEST)).rejects.toThrow('did not answer within 50 ms');
});

test('a call that is cancelled leaves no connection open', async () => {
  const left = Promise.withResolvers<void>();
  const url = await serve((request, response) => {
    if (request.headers['content-length'] !== String(Buffer.byteLength(JSON.stringify(REQUEST)))) {
      response.writeHead(202).end();
      return;
    }
    response.on('close', () => left.resolve());
    response.writeHead(200, STREAM).write(': held\n\n');
  });
  const { transport, heard } = open(url);
  await transport.send(REQUEST);
  await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
  await left.promise;
  expect(await heard).toEqual(LOST);
});
