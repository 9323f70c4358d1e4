import type { Database } from '../../platform/db/database.ts';
import { setVisionTold } from './vision-queries.ts';

/** A session has the end of a request for an image: the same words ask anew from now on. Idempotent. */
export function visionReceipts(database: Database) {
  return {
    acknowledged: async (sessionId: string, id: string) =>
      setVisionTold(database.db, { sessionId, id, now: await database.now() }),
  };
}
