import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
import { HttpStatusError, InvalidTokenError, REPLY_TOO_LARGE } from './transport-errors.ts';

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

function open(url: string, options?: HttpTransportOptions) {
  const transport = new HttpTransport(new URL(url), 'the-token', options);
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

test.each([301, 302, 303, 307, 308])('a redirect (%i) is an error and is not followed', async (status) => {
  const asked: (string | undefined)[] = [];
  const url = await serve((request, response) => {
    asked.push(request.url);
    response.writeHead(status, { location: '/moved' }).end();
  });
  const { transport } = open(url);
  for (let times = 0; times < 2; times += 1)
    await expect(transport.send(REQUEST)).rejects.toMatchObject({
      status,
      message: expect.stringContaining('a redirect, which is not followed'),
    });
  expect(asked, 'nor kept').toEqual(['/mcp', '/mcp']);
});

describe('what a reply may have', () => {
  /** Sends without end, until the client leaves. */
  function sendForEver(response: ServerResponse, left: () => void) {
    const chunk = Buffer.alloc(65_536, 'x');
    const send = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', send).on('close', left);
    send();
  }

  test.each([
    ['a stream', { 'content-type': 'text/event-stream' }],
    ['JSON', { 'content-type': 'application/json' }],
  ])('a reply without end fails its request, as %s', async (_name, headers) => {
    const left = Promise.withResolvers<void>();
    const url = await serve((_request, response) => {
      response.writeHead(200, headers);
      sendForEver(response, left.resolve);
    });
    const { transport, heard } = open(url, { maxReplyBytes: 1_000_000 });
    await transport.send(REQUEST);
    expect(await heard).toMatchObject({ id: 7, error: { code: REPLY_TOO_LARGE } });
    await left.promise;
  });

  test.each([
    ['an error', 500],
    ['the answer to a notification', 202],
  ])('%s without end is read to its limit only', async (_name, status) => {
    const left = Promise.withResolvers<void>();
    const url = await serve((_request, response) => {
      response.writeHead(status);
      sendForEver(response, left.resolve);
    });
    const { transport } = open(url);
    const sent = transport.send(
      status === 202 ? { jsonrpc: '2.0', method: 'notifications/initialized' } : REQUEST,
    );
    if (status === 202) await sent;
    else await expect(sent).rejects.toMatchObject({ status, message: expect.stringMatching(/x{500}$/) });
    await left.promise;
  });

  test('a reply up to the limit is received', async () => {
    const text = 'x'.repeat(1_000_000);
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...RESPONSE, result: { text } }));
    });
    const { transport, heard } = open(url);
    await transport.send(REQUEST);
    expect(await heard).toMatchObject({ result: { text } });
  });
});

test.each(['line\nbreak', 'carriage\rreturn', 'nul\0', 'not latin 字'])(
  'a token that no header can carry is refused, and not shown: %j',
  (token) => {
    const make = () => new HttpTransport(new URL('http://127.0.0.1:1/mcp'), `secret ${token}`);
    expect(make).toThrow(InvalidTokenError);
    expect(make).not.toThrow(/secret/);
  },
);

describe('a kept connection that the server closes when the next request comes', () => {
  /** Answers each connection's first request, and ends the connection at its second one. */
  async function serveOneEach() {
    const requests: number[] = [];
    let connections = 0;
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      connections += 1;
      sockets.add(socket);
      const connection = connections;
      let isFirst = true;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        requests.push(connection);
        if (!isFirst) return void socket.resetAndDestroy();
        isFirst = false;
        const body = JSON.stringify(RESPONSE);
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return { url: `http://127.0.0.1:${port}/mcp`, requests };
  }

  async function secondRequest() {
    const { url, requests } = await serveOneEach();
    const { transport } = open(url);
    const answered = () =>
      new Promise<JSONRPCMessage>((resolve) => {
        transport.onmessage = resolve;
      });
    const first = answered();
    await transport.send(REQUEST);
    await first;
    // The connection is free when the response has ended, which is after its message.
    await new Promise((resolve) => setImmediate(resolve));
    return { requests, sent: transport.send(REQUEST) };
  }

  test('it fails: the server may have acted on it', async () => {
    const { requests, sent } = await secondRequest();
    await expect(sent).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(requests).toEqual([1, 1]);
  });
});

test('a server that accepts and never answers fails the send in time', async () => {
  const url = await serve(() => undefined);
  await expect(open(url, { answerWithinMs: 50 }).transport.send(REQUEST)).rejects.toThrow(
    'did not answer within 50 ms',
  );
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
