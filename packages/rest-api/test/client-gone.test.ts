import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestWorld } from './rest-world.ts';

let world: RestWorld;
beforeAll(async () => {
  world = await RestWorld.create();
});
afterAll(() => world.close());

test.each(['/api/auth/login', '/api/projects'])(
  'a client that disconnects inside the body of %s is logged once, with the true cause',
  async (path) => {
    const { token } = await world.owner();
    const before = world.log.length;
    const socket = connect(world.port, '127.0.0.1');
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${world.port}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Content-Length: 1000',
    ];
    const arrived = once(world.app.server.server, 'request');
    socket.write(`${head.join('\r\n')}\r\n\r\n{"agentId":`);
    const [request] = (await arrived) as [IncomingMessage];
    // The server is reading its body.
    await expect.poll(() => request.listenerCount('data')).toBe(1);
    socket.destroy();
    await expect.poll(() => world.log.slice(before).join('')).toContain('client went away');
    const lines = world.log.slice(before);
    expect(lines.join('')).not.toMatch(/database away|unexpected|"stack"|"level":(40|50|60)/);
    expect(lines.filter((line) => line.includes('client went away'))).toHaveLength(1);
  },
);
