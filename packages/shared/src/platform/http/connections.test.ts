import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createLogger } from '../logger.ts';
import { Connections } from './connections.ts';
import { EDGE_LIMITS, type EdgeLimits, httpOptions } from './edge-limits.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function serve(
  options: { limits?: Partial<EdgeLimits>; isTrustedProxy?: boolean },
  answer: RequestListener = (_request, response) => response.end('here'),
) {
  const limits = { ...EDGE_LIMITS, ...options.limits };
  const server = createServer(httpOptions(limits), answer);
  new Connections({
    limits,
    isTrustedProxy: () => options.isTrustedProxy === true,
    logger: createLogger('test', { level: 'silent' }),
  }).watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A connection that has had an answer, and stays. */
async function admitted(port: number): Promise<Socket> {
  const socket = open(port);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  stops.push(() => socket.destroy());
  return socket;
}

test('an address has so many connections and no more, until one of them goes', async () => {
  const port = await serve({ limits: { perLoopback: 2 } });
  const [first] = [await admitted(port), await admitted(port)];
  const third = open(port);
  await once(third, 'close');
  first?.destroy();
  // It goes when the server has seen it.
  for (let isIn = false; !isIn; ) {
    const next = open(port);
    next.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    isIn = await Promise.race([
      new Promise<boolean>((resolve) => next.once('data', () => resolve(true))),
      new Promise<boolean>((resolve) => next.once('close', () => resolve(false))),
    ]);
  }
});

test('a proxy that is trusted has all that there are', async () => {
  const port = await serve({ limits: { perLoopback: 1, total: 3 }, isTrustedProxy: true });
  await Promise.all([admitted(port), admitted(port), admitted(port)]);
  const fourth = open(port);
  await once(fourth, 'close');
});

test('an answer that its client does not take is given up', async () => {
  // More than the buffers of both sides hold.
  const much = Buffer.alloc(64 * 1024 * 1024);
  const closed = Promise.withResolvers<void>();
  const port = await serve({ limits: { unreadMs: 200, checkMs: 20 } }, (_request, response) => {
    response.once('close', () => closed.resolve());
    response.end(much);
  });
  const socket = open(port).pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await closed.promise;
});

describe('a connection that was idle for too long', () => {
  const limits = { idleMs: 200, checkMs: 20 };
  const connections = [
    ['a new one', open],
    ['one that has had an answer', admitted],
  ] as const;

  test.each(connections)('%s is closed without an answer', async (_which, connected) => {
    const socket = await connected(await serve({ limits }));
    const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    expect(answer).toBe(false);
  });

  test.each(connections)('%s is answered 408 when a request has begun', async (_which, connected) => {
    const socket = await connected(await serve({ limits }));
    socket.write('GET / HTTP/1.1\r\n');
    const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    expect(`${answer}`).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('a request that was answered 408 is not executed when its rest comes', async () => {
    const executed: (string | undefined)[] = [];
    const port = await serve({ limits }, ({ url }, response) => {
      executed.push(url);
      response.end('here');
    });
    const socket = open(port);
    socket.write('GET /late HTTP/1.1\r\nHost: x\r\n');
    await once(socket, 'data');
    socket.write('\r\n');
    await once(socket, 'close');
    await admitted(port);
    expect(executed).toEqual(['/']);
  });

  test('the rest of a request that was answered early is no further request', async () => {
    const port = await serve({ limits });
    const socket = open(port);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n');
    await once(socket, 'data');
    socket.write('abc');
    const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    expect(answer).toBe(false);
  });
});

test('an answer that is held is waited for', async () => {
  const limits = { idleMs: 100, unreadMs: 100, checkMs: 20 };
  const held = Promise.withResolvers<() => void>();
  const port = await serve({ limits }, (request, response) => {
    if (request.url !== '/held') return response.end('here');
    response.write('held ');
    return held.resolve(() => response.end('told'));
  });
  const response = await fetch(`http://127.0.0.1:${port}/held`);
  const tell = await held.promise;
  // Ones that came later are closed for want of a word, three times over: for the held one the time is long over.
  for (let round = 0; round < 3; round += 1) await once(await admitted(port), 'close');
  tell();
  expect(await response.text()).toBe('held told');
});
