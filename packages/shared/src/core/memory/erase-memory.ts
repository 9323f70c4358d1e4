import type { Database, Tx } from '../../platform/db/database.ts';
import {
  type Erased,
  type EventPlace,
  eraseGrowth,
  eraseRuns,
  eventsToErase,
  lastEventSeq,
  statesToErase,
} from './erase-queries.ts';
import { forgetEvents, forgetStates } from './forget.ts';

/** Of one transaction: a memory of a million events could not be deleted within the time of one. */
const BATCH = 200;

/**
 * Deletes what the memory holds at this moment, or the part of one project; what is stored meanwhile stays. Done in
 * small transactions, each after `check`: when it ends early, the same call deletes the rest.
 */
export async function eraseMemory(
  database: Database,
  erased: Erased,
  check: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { agentId } = erased;
  const now = await database.now();
  const lastSeq = await lastEventSeq(database.db);
  const batch = <T>(work: (tx: Tx) => Promise<T>) =>
    database.transaction(async (tx) => {
      await check(tx);
      return work(tx);
    });
  const eraseAllRuns = async () => {
    while ((await batch((tx) => eraseRuns(tx.db, erased, now, BATCH))) > 0);
  };
  // Before the events: none of them has to be taken out of a run that goes as well.
  await eraseAllRuns();
  let last: EventPlace | undefined;
  do {
    const after = last;
    last = await batch(async (tx) => {
      const events = await eventsToErase(tx.db, erased, { after, lastSeq, limit: BATCH });
      await forgetEvents(
        tx,
        agentId,
        events.map(({ id }) => id),
      );
      return events.at(-1);
    });
  } while (last);
  let count: number;
  do {
    count = await batch(async (tx) => {
      const ids = await statesToErase(tx.db, erased, now, BATCH);
      await forgetStates(tx, agentId, ids);
      return ids.length;
    });
  } while (count > 0);
  await batch((tx) => eraseGrowth(tx.db, erased));
  // Of what was searched meanwhile.
  await eraseAllRuns();
}
