import type { Queryable } from '../../../platform/db/database.ts';
import { cutToTokens, tokensIn } from '../rules/pack.ts';
import type { DocumentRow, Sight } from './document-queries.ts';
import { type EventText, eventTexts, type StateText, stateTexts, textsBeside } from './item-queries.ts';

/** A result with its text. */
export interface Item {
  readonly type: 'event' | 'state';
  readonly id: string;
  /** With what stands around it, if that was asked for. */
  readonly text: string;
  /** Its own text alone: what is kept under its id, and goes when it goes. */
  readonly ownText: string;
  /** Stands before the text of a state that has ended: until when it was so. */
  readonly mark?: string;
  /** Of a state all that it says: it may say something else when its use is kept. */
  readonly bodyText?: string;
  readonly createdAt: Date;
  readonly sourceEvents: string[];
  readonly sourceRefs: string[];
}

const MAX_TOKENS = { hit: 1_000, neighbour: 250 };
/** For what stands around the hits of one search. */
const NEIGHBOUR_TOKENS = 8_000;

/**
 * The texts of these documents, in their order. `expand`: with what was said directly before and after an event, in
 * the order in which it was said; each event stands in one result only, and a result names itself first.
 */
export async function itemsOf(
  db: Queryable,
  { sight, now }: { readonly sight: Sight; readonly now: Date },
  rows: readonly DocumentRow[],
  expand: boolean,
): Promise<Item[]> {
  const eventIds = rows.flatMap(({ eventId }) => eventId ?? []);
  const stateIds = rows.flatMap(({ stateId }) => stateId ?? []);
  const [events, states, beside] = await Promise.all([
    eventIds.length > 0 ? eventTexts(db, eventIds) : [],
    stateIds.length > 0 ? stateTexts(db, stateIds) : [],
    expand && eventIds.length > 0 ? textsBeside(db, sight, eventIds) : [],
  ]);
  const eventOf = new Map(events.map((event) => [event.id, event]));
  const stateOf = new Map(states.map((state) => [state.id, state]));
  const besideOf = Map.groupBy(beside, ({ of }) => of);
  const shown = new Set(eventIds);
  let tokensLeft = NEIGHBOUR_TOKENS;
  return rows.flatMap(({ eventId, stateId }): Item[] => {
    const state = stateOf.get(stateId ?? '');
    if (state !== undefined) {
      const { id, createdAt, evidence: sourceEvents, sourceRefs, bodyText } = state;
      const ownText = cutToTokens(bodyText, MAX_TOKENS.hit);
      const mark = markOf(state, now);
      const text = `${mark}${ownText}`;
      return [{ type: 'state', id, createdAt, text, ownText, mark, bodyText, sourceEvents, sourceRefs }];
    }
    const event = eventOf.get(eventId ?? '');
    if (event === undefined) return [];
    const around = (besideOf.get(event.id) ?? []).filter((one) => {
      const tokens = Math.min(MAX_TOKENS.neighbour, tokensIn(textOf(one)));
      if (shown.has(one.id) || tokens > tokensLeft) return false;
      shown.add(one.id);
      tokensLeft -= tokens;
      return true;
    });
    return [eventItem(event, around)];
  });
}

/** Without words: it is read in every language. */
function markOf({ validTo }: StateText, now: Date): string {
  return validTo !== null && validTo <= now ? `[… – ${validTo.toISOString().slice(0, 10)}] ` : '';
}

function eventItem(event: EventText, around: readonly (EventText & { side: number })[]): Item {
  const neighbour = (one: EventText) => cutToTokens(textOf(one), MAX_TOKENS.neighbour);
  const ownText = cutToTokens(textOf(event), MAX_TOKENS.hit);
  const lines = [
    ...around.filter(({ side }) => side < 0).map(neighbour),
    ownText,
    ...around.filter(({ side }) => side > 0).map(neighbour),
  ];
  const named = [event, ...around];
  return {
    type: 'event',
    id: event.id,
    createdAt: event.createdAt,
    text: lines.join('\n'),
    ownText,
    sourceEvents: named.map(({ id }) => id),
    sourceRefs: named.flatMap(({ sourceRef }) => sourceRef ?? []),
  };
}

function textOf({ actor, userText, assistantText, caption }: EventText): string {
  const said = [userText, assistantText].filter((text) => text !== null && text !== '').join('\n');
  const words = actor === null || actor === '' || said === '' ? said : `${actor}: ${said}`;
  return [words, caption === null || caption === '' ? '' : `[${caption}]`].filter(Boolean).join('\n');
}
