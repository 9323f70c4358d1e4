import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
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
