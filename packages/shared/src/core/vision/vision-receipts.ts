import type { Database } from '../../platform/db/database.ts';
import { setVisionMark } from './vision-queries.ts';

/** A session was offered the end of its request for an image, or has it: then the same words ask anew. Idempotent. */
export function visionReceipts({ db, now }: Pick<Database, 'db' | 'now'>) {
  const mark = (name: Parameters<typeof setVisionMark>[1]) => async (sessionId: string, id: string) =>
    setVisionMark(db, name, { sessionId, id, now: await now() });
  return { offered: mark('toldAt'), acknowledged: mark('acknowledgedAt') };
}
