import { appendChangeEvents } from '@aizuchi/shared/platform/change-log/change-log';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { breakLockedRead, RIGHTS_READ } from './break-read.ts';
import { RestWorld } from './rest-world.ts';
import { SocketClient } from './socket-client.ts';

let world: RestWorld;
let membership: { projectId: string; agentId: string };

beforeAll(async () => {
  world = await RestWorld.create({ isRunning: true });
  membership = await world.project();
});
afterAll(() => world.close());

test('when the read of rights fails in the middle, no frame is repeated, for members and owners', async () => {
  const member = await world.person('member', { projects: [membership.projectId] });
  const clients = [];
  for (const { token } of [member, await world.owner()]) {
    const client = await SocketClient.open(world.port, { authorization: `Bearer ${token}` });
    await client.subscribe(membership.projectId);
    client.send({ type: 'subscribe_inbox' });
    await client.heard(({ type }) => type === 'inbox_changed');
    clients.push(client);
  }
  const holder = new pg.Client({ connectionString: world.context.database.url });
  await holder.connect();
  await holder.query('begin; lock table project_agents in access exclusive mode');
  await world.context.database.transaction((tx) =>
    appendChangeEvents(tx, [
      {
        kind: 'run',
        projectId: membership.projectId,
        ref: { runId: 'run_first', agentId: membership.agentId },
      },
    ]),
  );
  // The hub reads the rights before it sends.
  await breakLockedRead(world.context.database.pool, RIGHTS_READ);
  await holder.query('rollback');
  await holder.end();
  await world.context.database.transaction((tx) =>
    appendChangeEvents(tx, [
      {
        kind: 'run',
        projectId: membership.projectId,
        ref: { runId: 'run_last', agentId: membership.agentId },
      },
    ]),
  );
  for (const client of clients) {
    await client.heard(({ runId }) => runId === 'run_last');
    const runs = client.frames.filter(({ type }) => type === 'run_changed').map(({ runId }) => runId);
    expect(runs).toEqual(['run_first', 'run_last']);
    await client.close();
  }
});
