import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, must } from '../attack.ts';
import { ask } from '../support/ask.ts';
import { hostOf, openSocket } from '../support/raw.ts';
import { countBy } from '../support/timing.ts';
import type { World } from '../world.ts';

const BODIES = 50;
const SOCKETS = 200;

export const gone: readonly Attack[] = [
  {
    row: 14,
    name: `clients that go away: ${BODIES} inside a login's body, ${SOCKETS} sockets`,
    limitMs: 40_000,
    needs: ['the host'],
    async run(world) {
      const { machine } = world;
      const before = (await machine.logs()).length;
      const project = await world.makeProject();
      for (let n = 0; n < BODIES; n += 1) await leaveInBody(world);
      await Promise.all(Array.from({ length: SOCKETS }, (_, n) => leaveSocket(world, project.id, n)));
      await sleep(2_000);
      const { status } = await ask(world.web, '/readyz');
      must(status === 200, `rest-api is not ready afterwards: ${status}`);
      const lines = (await machine.logs()).slice(before).split('\n');
      const wrong = lines.filter((line) => /database|TypeError|"level":"(error|fatal)"|"stack"/i.test(line));
      must(
        wrong.length === 0,
        () => `${wrong.length} lines in the logs, such as: ${countBy(wrong.map(messageOf))}`,
      );
      return 'no word of the database, no error and no stack in the logs';
    },
  },
];

async function leaveInBody(world: World): Promise<void> {
  const socket = await openSocket(world.web, world.address(14));
  const head = [
    'POST /api/auth/login HTTP/1.1',
    `Host: ${hostOf(world.web)}`,
    'Content-Type: application/json',
  ];
  socket.write([...head, 'Content-Length: 400', '', '{"agentId":"own'].join('\r\n'));
  await sleep(10);
  socket.destroy();
}

/** Some sockets close at once, others after they have subscribed. */
async function leaveSocket(world: World, projectId: string, n: number): Promise<void> {
  const socket = await openSocket(world.web, world.address(14)).catch(() => undefined);
  if (!socket) return;
  const head = [
    'GET /api/ws HTTP/1.1',
    `Host: ${hostOf(world.web)}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
  ];
  const key = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=='];
  socket.write([...head, ...key, `Authorization: Bearer ${world.owner.token}`, '', ''].join('\r\n'));
  if (n % 2 === 0) {
    await sleep(100);
    socket.write(masked(JSON.stringify({ type: 'subscribe', projectId })));
  }
  await sleep(n % 20);
  socket.resetAndDestroy();
}

/** A text frame of a client, with a mask of zeros; shorter than 126 bytes. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

function messageOf(line: string): string {
  const [, text = line] = /"msg":"([^"]*)"/.exec(line) ?? [];
  return text.slice(0, 80);
}
