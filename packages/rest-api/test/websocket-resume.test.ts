import { randomInt } from 'node:crypto';
import { appendChangeEvents } from '@aizuchi/shared/platform/change-log/change-log';
import { openDatabase } from '@aizuchi/shared/platform/db/database';
import { logIsComplete } from '@aizuchi/shared/testing/log-is-complete';
import { createTestDatabase } from '@aizuchi/shared/testing/test-database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';
import { type Frame, SocketClient } from './socket-client.ts';

let world: RestWorld;
let other: { port: number; stop(): Promise<void> };
let owner: Caller;
let projectId: string;

beforeAll(async () => {
  world = await RestWorld.create({ isRunning: true });
  other = await world.second();
  owner = await world.owner();
  ({ projectId } = await world.project());
});
afterAll(async () => {
  await other.stop();
  await world.close();
});

const open = (port: number) => SocketClient.open(port, { authorization: `Bearer ${owner.token}` });
const taskOf = ({ taskId }: Frame) => String(taskId);

/** Appends a change event about a task without a row, in a transaction that stays open for `openForMs`. */
async function writeFact(taskId: string, openForMs = 0): Promise<void> {
  await world.context.database.transaction(async (tx) => {
    await appendChangeEvents(tx, [{ kind: 'task', projectId, ref: { taskId } }]);
    if (openForMs > 0) await sql`select pg_sleep(${openForMs / 1_000})`.execute(tx.db);
  });
}

test('a client that loses its socket again and again misses nothing and gets nothing twice, on either process', async () => {
  const facts = Array.from({ length: 300 }, (_, index) => `tsk_${String(index).padStart(4, '0')}`);
  const writing = Promise.all(
    [0, 1, 2, 3].map(async (writer) => {
      // Slow transactions among quick ones: their ids are lower than those committed before them (trap 15).
      for (const fact of facts.filter((_, index) => index % 4 === writer))
        await writeFact(fact, writer === 0 ? randomInt(30) : 0);
    }),
  );
  const heard: Frame[] = [];
  let isWritten = false;
  void writing.then(() => {
    isWritten = true;
  });
  const first = await open(world.port);
  let { cursor } = await first.subscribe(projectId, { cursor: await cursorOfStart() });
  for (let round = 0, client = first; heard.length < facts.length; round += 1) {
    const wanted = heard.length + (isWritten ? facts.length - heard.length : randomInt(1, 40));
    await client.heard(() => heard.length + tasksIn(client).length >= Math.min(wanted, facts.length));
    // Terminated, not closed: frames in flight are lost, and the client keeps the cursor of the last frame that
    // arrived.
    client.socket.terminate();
    const frames = tasksIn(client);
    heard.push(...frames);
    cursor = frames.at(-1)?.cursor ?? cursor;
    if (heard.length >= facts.length) break;
    client = await open(round % 2 === 0 ? other.port : world.port);
    expect(await client.subscribe(projectId, { cursor })).toMatchObject({ reset: false });
  }
  await writing;
  expect(heard.map(taskOf).toSorted()).toEqual(facts);
  const cursors = heard.map((frame) => frame.cursor);
  expect(cursors).toEqual(cursors.toSorted());
});

test('a late commit with a lower id is not skipped', async () => {
  const client = await open(world.port);
  await client.subscribe(projectId);
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const { promise: appended, resolve: append } = Promise.withResolvers<void>();
  const late = world.context.database.transaction(async (tx) => {
    await appendChangeEvents(tx, [{ kind: 'task', projectId, ref: { taskId: 'tsk_late' } }]);
    append();
    await gate;
  });
  // Only then its id is the lower one.
  await appended;
  await writeFact('tsk_early');
  await client.settled();
  release();
  await late;
  await client.heard((frame) => taskOf(frame) === 'tsk_late');
  await client.heard((frame) => taskOf(frame) === 'tsk_early');
  expect(tasksIn(client).map(taskOf).toSorted()).toEqual(['tsk_early', 'tsk_late']);
  await client.close();
});

test('a long transaction in another database of the server delays no frame', async () => {
  const elsewhere = await createTestDatabase();
  const foreign = openDatabase({ url: elsewhere.url, transactionTimeoutMs: 0 });
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const { promise: writing, resolve: writes } = Promise.withResolvers<void>();
  const busy = foreign.transaction(async (tx) => {
    await sql`select pg_current_xact_id()`.execute(tx.db);
    writes();
    await gate;
  });
  await writing;
  const client = await open(world.port);
  await client.subscribe(projectId);
  await writeFact('tsk_beside');
  await client.heard((frame) => taskOf(frame) === 'tsk_beside');
  await writeFact('tsk_beside_again');
  await client.heard((frame) => taskOf(frame) === 'tsk_beside_again');
  // Its cursor is beyond what a replay may read by now: the page is told to reload and misses nothing.
  const { cursor } = client.frames.findLast(({ cursor }) => cursor !== undefined) ?? {};
  await client.close();
  const next = await open(other.port);
  expect(await next.subscribe(projectId, { cursor })).toMatchObject({ reset: true });
  release();
  await busy;
  await writeFact('tsk_after_the_other');
  await next.heard((frame) => taskOf(frame) === 'tsk_after_the_other');
  await Promise.all([next.close(), foreign.close()]);
  await elsewhere.drop();
});

test('a replay sends each row once, in its current state', async () => {
  const client = await open(world.port);
  const { cursor } = await client.subscribe(projectId);
  await client.close();
  for (let count = 0; count < 5; count += 1) await writeFact('tsk_again');
  await logIsComplete(world.context.database);
  const next = await open(world.port);
  await next.subscribe(projectId, { cursor });
  expect(tasksIn(next).map(taskOf)).toEqual(['tsk_again']);
  await next.close();
});

test('changes made while no client was connected are replayed', async () => {
  const client = await open(world.port);
  const { cursor } = await client.subscribe(projectId);
  await client.close();
  await writeFact('tsk_unheard');
  await logIsComplete(world.context.database);
  const next = await open(other.port);
  expect(await next.subscribe(projectId, { cursor })).toMatchObject({ reset: false });
  expect(tasksIn(next).map(taskOf)).toEqual(['tsk_unheard']);
  await next.close();
});

test('a cursor that is too old, not ours or of another database asks for a reload, and the stream goes on', async () => {
  const client = await open(world.port);
  const { cursor = '' } = await client.subscribe(projectId);
  const ahead = `${'9'.repeat(18).padStart(20, '0')}${cursor.slice(20)}`;
  for (const wrong of ['nonsense', ahead]) {
    expect(await client.subscribe(projectId, { cursor: wrong })).toMatchObject({ reset: true });
  }
  world.clock.advance(47 * 3_600_000);
  expect(await client.subscribe(projectId, { cursor })).toMatchObject({ reset: true });
  await writeFact('tsk_after_reset');
  await client.heard((frame) => taskOf(frame) === 'tsk_after_reset');
  await client.close();
});

test('too much to replay asks for a reload', async () => {
  const client = await open(world.port);
  const { cursor } = await client.subscribe(projectId);
  await client.close();
  await world.context.database.transaction(async (tx) => {
    await sql`insert into change_log (kind, project_id, ref)
      select 'task', ${projectId}, jsonb_build_object('taskId', 'tsk_many_' || n) from generate_series(1, 5001) n`.execute(
      tx.db,
    );
  });
  await logIsComplete(world.context.database);
  const next = await open(world.port);
  expect(await next.subscribe(projectId, { cursor })).toMatchObject({ reset: true });
  expect(tasksIn(next)).toEqual([]);
  await next.close();
});

function tasksIn(client: SocketClient): Frame[] {
  return client.frames.filter(({ type }) => type === 'task_changed');
}

/**
 * Where the log begins, so that the writers may be faster than the first subscriber. Not beyond the horizon: a writer
 * that is still open may have a lower id than all visible ones.
 */
async function cursorOfStart(): Promise<string> {
  const { rows } = await sql<{ horizon: string; epoch: string }>`
    select least(min(xid), pg_snapshot_xmin(pg_current_snapshot()))::text as horizon,
      (select epoch from log_epoch) as epoch
    from change_log where kind = 'task'`.execute(world.context.database.db);
  const xid = (rows[0]?.horizon ?? '').padStart(20, '0');
  const at = world.clock.now().getTime().toString(36).padStart(9, '0');
  return `${xid}${'9007199254740991'}${xid}${at}${rows[0]?.epoch}`;
}
