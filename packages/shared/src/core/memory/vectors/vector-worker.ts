/** The file of the thread of vector-thread.ts: what it computes blocks no search by words. */
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../../platform/db/database.ts';
import { ShardQueries } from './shard-queries.ts';
import { Shards } from './shards.ts';
import type { ThreadData, ThreadRequest, ThreadResponse } from './vector-thread.ts';

const { databaseUrl }: ThreadData = workerData;
const database = openDatabase({
  url: databaseUrl,
  applicationName: 'aizuchi-memory-vectors',
  maxConnections: 1,
});
const shards = new Shards(new ShardQueries(database));

parentPort?.on('message', async ({ id, input }: ThreadRequest) => {
  parentPort?.postMessage(await answer(id, input));
});

async function answer(id: number, input: ThreadRequest['input']): Promise<ThreadResponse> {
  try {
    return { id, nearest: await shards.nearest(input) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
