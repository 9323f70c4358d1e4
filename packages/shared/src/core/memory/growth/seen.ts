import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Queryable } from '../../../platform/db/database.ts';
import { keepSeenEvents, textsOfStates } from './seen-queries.ts';

/** What a model was shown besides the event: what it says may repeat any of it, whatever it names as its evidence. */
export const seenSchema = z.object({
  events: z.array(z.string()),
  states: z.array(z.object({ id: z.string(), hash: z.string() })),
});
export type Seen = z.infer<typeof seenSchema>;

export const NOTHING_SEEN: Seen = { events: [], states: [] };

export function seenOf(
  events: readonly { readonly id: string }[],
  states: readonly { readonly id: string; readonly bodyText: string }[],
): Seen {
  return {
    events: events.map(({ id }) => id),
    states: states.map(({ id, bodyText }) => ({ id, hash: hashOf(bodyText) })),
  };
}

/** Whether all of it is there and says the same. The events stay until the transaction has ended. */
export async function isAsSeen(db: Queryable, { events, states }: Seen): Promise<boolean> {
  if ((await keepSeenEvents(db, events)) < events.length) return false;
  const texts = await textsOfStates(
    db,
    states.map(({ id }) => id),
  );
  return states.every(({ id, hash }) => {
    const text = texts.get(id);
    return text !== undefined && hashOf(text) === hash;
  });
}

/** One of these states says something else than what was seen; `states` are locked. */
export function saysOther(seen: Seen, states: ReadonlyMap<string, { readonly bodyText: string }>): boolean {
  return seen.states.some(({ id, hash }) => {
    const state = states.get(id);
    return state !== undefined && hashOf(state.bodyText) !== hash;
  });
}

/** The words themselves are not kept a second time. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
