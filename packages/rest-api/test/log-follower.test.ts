import { appendChangeEvents, type LogBatch } from '@aizuchi/shared/platform/change-log/change-log';
import { openDatabase } from '@aizuchi/shared/platform/db/database';
import { logIsComplete } from '@aizuchi/shared/testing/log-is-complete';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { LogFollower } from '../src/streams/log-follower.ts';
import { RestWorld } from './rest-world.ts';

/* All subscribers leave while the follower waits for the database or for `deliver`. */

let world: RestWorld;
beforeAll(async () => {
  world = await RestWorld.create();
});
afterAll(() => world.close());

function follower(onDeliver: (batch: LogBatch) => void) {
  const { database, clock, logger } = world.context;
  const refs: string[] = [];
  let reads = 0;
  const made = new LogFollower({
    db: database.db,
    clock: {
      now() {
        reads += 1;
        return clock.now();
      },
    },
    logger,
    deliver: async (batch) => {
      refs.push(...batch.entries.flatMap(({ ref }) => ref.taskId ?? []));
      onDeliver(batch);
    },
    onReplaced: () => undefined,
  });
  return { follower: made, refs, looks: () => reads };
}

async function write(taskId: string): Promise<void> {
  const { projectId } = await world.project();
  await world.context.database.transaction((tx) =>
    appendChangeEvents(tx, [{ kind: 'task', projectId, ref: { taskId } }]),
  );
}

/** Every reader is given it at its next look. */
async function append(taskId: string): Promise<void> {
  await write(taskId);
  await logIsComplete(world.context.database);
}

test('paused while it reads: nothing fails or is delivered, and the next subscriber begins at the end of the log', async () => {
  const { follower: log, refs } = follower(() => undefined);
  log.follow();
  await log.advance();
  await append('tsk_before');
  const advancing = log.advance();
  log.pause();
  await advancing;
  expect(refs).toEqual([]);
  await append('tsk_meanwhile');
  log.follow();
  await log.advance();
  await append('tsk_after');
  await log.advance();
  expect(refs).toEqual(['tsk_after']);
});

test('paused while it delivers: the position is not kept', async () => {
  let leave: () => void = () => undefined;
  const { follower: log, refs } = follower(() => leave());
  log.follow();
  await log.advance();
  await append('tsk_last');
  leave = () => log.pause();
  await log.advance();
  leave = () => undefined;
  await append('tsk_unheard');
  log.follow();
  await log.advance();
  expect(refs).toEqual(['tsk_last']);
});

test('paused and resumed while it reads: reading does not go on from the old position', async () => {
  const { follower: log, refs } = follower(() => undefined);
  log.follow();
  await log.advance();
  await append('tsk_old');
  const advancing = log.advance();
  log.pause();
  log.follow();
  await advancing;
  await append('tsk_between');
  await log.advance();
  expect(refs).toEqual([]);
});

test('an entry that waits for an older transaction is found without another hint, however long it waits', async () => {
  const { follower: log, refs, looks } = follower(() => undefined);
  onTestFinished(() => log.pause());
  log.follow();
  await log.advance();
  // So many reads take more than two of the five seconds that a transaction of the product may have.
  const database = openDatabase({
    url: world.context.database.url,
    transactionTimeoutMs: LONG_TIMEOUT_MS,
    maxConnections: 1,
  });
  onTestFinished(() => database.close());
  const older = Promise.withResolvers<void>();
  const holding = Promise.withResolvers<void>();
  const transaction = database.transaction(async (tx) => {
    await appendChangeEvents(tx, [{ kind: 'coordinators', projectId: null, ref: {} }]);
    holding.resolve();
    await older.promise;
  });
  await holding.promise;
  await write('tsk_waits');
  log.wake();
  // More reads than there are quick ones.
  const before = looks();
  await expect.poll(() => looks() - before).toBeGreaterThan(7);
  expect(refs).toEqual([]);
  older.resolve();
  await transaction;
  await expect.poll(() => refs).toEqual(['tsk_waits']);
});
