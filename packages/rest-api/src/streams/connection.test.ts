import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Person, projectNotFound } from '@aizuchi/shared/core/access/person';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { Connection, type ConnectionOptions } from './connection.ts';

const person: Person = { id: 'agt_ann', name: 'Ann', accessLevel: 'member' };

const HUB: ConnectionOptions['hub'] = {
  join: async () => undefined,
  confirm: async () => false,
  leave: (subscription) => {
    subscription.isOver = true;
  },
  joinInbox: async () => undefined,
  leaveInbox: () => undefined,
};

let server: WebSocketServer;
let client: WebSocket;
let serverSide: WebSocket;
const frames: { type: string; code?: string }[] = [];

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('message', (data) => frames.push(JSON.parse(data.toString())));
  [[serverSide]] = await Promise.all([connected, once(client, 'open')]);
});
afterEach(() => {
  client.terminate();
  server.close();
  frames.length = 0;
});

function serve(options: Partial<ConnectionOptions>): Connection {
  return new Connection(
    serverSide,
    { credentials: { token: 't' }, person },
    {
      hub: HUB,
      identify: async () => person,
      requireMember: async () => undefined,
      renewViewer: async () => undefined,
      answerQuestion: async () => undefined,
      onUnexpected: () => undefined,
      onSlow: () => undefined,
      maxUnreadBytes: 1_000_000,
      authTimeoutMs: 60_000,
      ...options,
    },
  );
}

const send = (frame: object) => client.send(JSON.stringify(frame));

/** Frames are answered in their order. */
async function settled(): Promise<void> {
  const before = frames.filter(({ type }) => type === 'pong').length;
  send({ type: 'ping' });
  await expect.poll(() => frames.filter(({ type }) => type === 'pong').length).toBe(before + 1);
}

test.each([
  ['made', false],
  ['confirmed', true],
])(
  'a check whose answer comes late does not end a subscription that was %s meanwhile',
  async (_what, isLive) => {
    const { promise: late, reject: refuse } = Promise.withResolvers<never>();
    let checks = 0;
    const connection = serve({
      hub: { ...HUB, confirm: async () => isLive },
      requireMember: async () => {
        checks += 1;
        // The first and the third are of a subscription, the second is the regular one.
        if (checks === 2) await late;
      },
    });
    send({ type: 'subscribe', projectId: 'prj_a' });
    await settled();
    const rechecked = connection.recheck();
    await expect.poll(() => checks).toBe(2);
    send({ type: 'subscribe', projectId: 'prj_a' });
    await settled();
    refuse(projectNotFound());
    await rechecked;
    await settled();
    expect(frames.filter(({ type }) => type === 'error')).toEqual([]);
  },
);

test('a lease that cannot be renewed keeps no other from being renewed, and is reported', async () => {
  const renewed: string[] = [];
  let isAway = false;
  const connection = serve({
    renewViewer: async (_person, { projectId }) => {
      if (isAway && projectId === 'prj_a') throw new Error('away');
      renewed.push(projectId);
    },
  });
  for (const projectId of ['prj_a', 'prj_b']) send({ type: 'subscribe', projectId, viewerId: 'tab' });
  await settled();
  renewed.length = 0;
  isAway = true;
  await expect(connection.renewViewers()).rejects.toThrow('away');
  expect(renewed).toEqual(['prj_b']);
});

test('of frames that arrive together, those after a close do nothing', async () => {
  const { promise: never } = Promise.withResolvers<void>();
  serve({ requireMember: () => never });
  const close = vi.spyOn(serverSide, 'close');
  for (let count = 0; count < 1_000; count += 1) send({ type: 'subscribe', projectId: 'prj_a' });
  const [code] = await once(client, 'close');
  expect(code).toBe(4403);
  // Ours, and that of the library for the reply of the client.
  expect(close.mock.calls.length).toBeLessThanOrEqual(2);
});
