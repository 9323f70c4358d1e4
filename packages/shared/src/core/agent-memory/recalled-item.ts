import type { MemoryHit, MemorySource, SearchResultPack, StateKind } from '../../contract/memory.ts';
import type { DeliveredPack } from '../../contract/tools/memory-tools.ts';
import { clockTime } from '../usage/rules/local-day.ts';
import type { KnownState, SaidEvent } from './said-queries.ts';

export interface RecalledItem {
  readonly type: MemoryHit['type'];
  readonly id: string;
  /** Of a state. */
  readonly kind?: StateKind;
  /** Of an event. */
  readonly source?: MemorySource;
  readonly text: string;
  /** What the agent answered then. */
  readonly reply?: string;
  readonly saidBy: string | null;
  readonly createdAt: string;
  readonly localTime: string;
  readonly score: number;
  readonly foundBy: readonly string[];
  readonly sourceEvents: readonly string[];
}

/** What is known of the items that were found. */
export interface Sources {
  readonly events: ReadonlyMap<string, SaidEvent>;
  readonly states: ReadonlyMap<string, KnownState>;
  readonly timeZone: string;
}

const TEXT_LENGTH = 1_500;
const REPLY_LENGTH = 700;
const SNIPPET_LENGTH = 700;

/** In the order of their rank. An event of which only the same words are in a state, found as well, is left out. */
export function recalledItems(hits: readonly MemoryHit[], sources: Sources): RecalledItem[] {
  const items = hits.map((hit) => recalledItem(hit, sources));
  const states = items.filter(({ type }) => type === 'state');
  return items.filter(
    ({ type, id, text }) =>
      type !== 'event' || !states.some((state) => state.text === text && state.sourceEvents.includes(id)),
  );
}

function recalledItem(hit: MemoryHit, { events, states, timeZone }: Sources): RecalledItem {
  const { type, id, score, hitSources: foundBy, sourceEvents, createdAt } = hit;
  const event = type === 'event' ? events.get(id) : undefined;
  const state = type === 'state' ? states.get(id) : undefined;
  const said = event && saidIn(event);
  return {
    type,
    id,
    ...(state && { kind: state.kind }),
    ...(event && { source: event.source }),
    text: cut(said?.text ?? hit.text, TEXT_LENGTH),
    ...(said?.reply !== undefined && { reply: cut(said.reply, REPLY_LENGTH) }),
    saidBy: said?.by ?? state?.actor ?? null,
    createdAt,
    localTime: clockTime(new Date(createdAt), timeZone),
    score,
    foundBy,
    sourceEvents,
  };
}

/**
 * The pack with who said each and when. What is not there any more is left out, and so is the event of a `remember` of
 * which the state is there too: its words are the same.
 */
export function deliveredItems(
  { selected }: SearchResultPack,
  { events, states, timeZone }: Sources,
): DeliveredPack['selected'] {
  const known = new Set(
    selected.filter(({ state_id: id }) => states.has(id ?? '')).map(({ snippet }) => snippet),
  );
  return selected.flatMap((item) => {
    if (events.get(item.event_id ?? '')?.source === 'remember' && known.has(item.snippet)) return [];
    const event = events.get(item.event_id ?? '');
    const state = states.get(item.state_id ?? '');
    const at = event?.createdAt ?? state?.lastConfirmedAt;
    if (at === undefined) return [];
    return {
      ...item,
      snippet: cut(item.snippet, SNIPPET_LENGTH),
      said_by: (event ? saidIn(event).by : state?.actor) ?? null,
      created_at: at.toISOString(),
      local_time: clockTime(at, timeZone),
      ...(event?.sourceRef && { source_ref: event.sourceRef }),
    };
  });
}

/** The actor is who spoke first; without one, a text of the agent alone is the agent's. */
function saidIn({ actor, agentName, userText, caption, assistantText }: SaidEvent) {
  const own = assistantText ?? '';
  const text = userText ?? caption;
  if (text === null) return { text: own, reply: undefined, by: actor ?? agentName };
  return { text, reply: assistantText ?? undefined, by: actor };
}

/** At whole characters. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
