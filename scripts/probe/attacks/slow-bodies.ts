import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, must, mustAll } from '../attack.ts';
import { ask } from '../support/ask.ts';
import { hostOf, openSocket } from '../support/raw.ts';
import { measureWhile, seconds } from '../support/timing.ts';
import type { World } from '../world.ts';

const SOCKETS = 50;
const CLOSED_WITHIN_MS = 65_000;

export const slowBodies: readonly Attack[] = [
  {
    row: 8,
    name: `${SOCKETS} bodies at each service that come a byte a second, or never`,
    limitMs: 100_000,
    pace: 'waiting',
    async run(world) {
      const targets: Record<string, [base: string, path: string]> = {
        rest: [world.web, '/api/auth/login'],
        mcp: [new URL(world.mcp).origin, new URL(world.mcp).pathname],
        ...(world.coordinator !== undefined && { coordinator: [world.coordinator, '/healthz'] }),
        ...(world.memory !== undefined && { memory: [world.memory, '/internal/search'] }),
      };
      const said: string[] = [];
      const results = await Promise.allSettled(
        Object.entries(targets).map(async ([name, [base, path]]) => {
          said.push(`${name}: ${await drip(world, base, path)}`);
        }),
      );
      await mustAll(
        Object.fromEntries(
          Object.keys(targets).map((name, index) => [
            name,
            async () => {
              const result = results[index];
              if (result?.status === 'rejected') throw result.reason;
            },
          ]),
        ),
      );
      return said.join('; ');
    },
  },
];

async function drip(world: World, base: string, path: string): Promise<string> {
  const from = world.address(8);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostOf(base)}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'Content-Length: 1000',
    '',
    '',
  ].join('\r\n');
  const startedAt = performance.now();
  const sockets: net.Socket[] = [];
  let open = 0;
  let slowest = 0;
  for (let n = 0; n < SOCKETS; n += 1) {
    // A limit per address may refuse the later connections: those are closed at once.
    const socket = await openSocket(base, from).catch(() => undefined);
    if (socket === undefined) continue;
    open += 1;
    socket.once('close', () => {
      open -= 1;
      slowest = performance.now() - startedAt;
    });
    socket.resume();
    socket.write(head);
    sockets.push(socket);
  }
  const over = (async () => {
    while (open > 0 && performance.now() - startedAt < CLOSED_WITHIN_MS) {
      for (const [index, socket] of sockets.entries())
        if (index % 2 === 0 && socket.writable) socket.write(' ');
      await sleep(1_000);
    }
  })();
  const right = await measureWhile(over, () => ask(base, '/healthz', { timeoutMs: 20_000 }), 2_000);
  const left = open;
  for (const socket of sockets) socket.destroy();
  must(left === 0, `${left} of ${SOCKETS} sockets are open after ${seconds(CLOSED_WITHIN_MS)}`);
  must(right.refused.length === 0, `right calls meanwhile: ${right.refused.join(', ')}`);
  return `all closed after ${seconds(slowest)}`;
}
