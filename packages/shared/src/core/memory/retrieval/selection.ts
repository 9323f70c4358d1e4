import { z } from 'zod';
import type { SearchPlan, SearchResultPack } from '../../../contract/memory.ts';
import { cutToTokens, packed } from '../rules/pack.ts';
import type { Item } from './items.ts';

/** A candidate as a selector sees it. */
export interface SelectableItem extends Item {
  readonly hitSources: readonly string[];
}

/** Chooses what is used, for example by a model; what it returns is checked against the candidates. */
export type Selector = (input: {
  readonly text: string;
  readonly plan: SearchPlan;
  readonly candidates: readonly SelectableItem[];
}) => Promise<unknown>;

type Selected = SearchResultPack['selected'];

const PACK_TOKENS = 2_000;
const SNIPPET_TOKENS = 200;

/** The first of the ranking that fit into the pack. */
export function selectByRank(items: readonly SelectableItem[], most: number): Selected {
  const cut = items.slice(0, most).map((item) => ({ item, text: cutToTokens(item.text, SNIPPET_TOKENS) }));
  return packed(cut, PACK_TOKENS).map(({ item, text }) => entryOf(item, item.hitSources.join(', '), text));
}

/** What a selector chose. Null: it is no selection. Ids that are no candidates are left out, and each is once in it. */
export function cleanSelection(
  value: unknown,
  candidates: readonly SelectableItem[],
  most: number,
): Selected | null {
  const parsed = z.object({ selected: z.array(z.unknown()) }).safeParse(value);
  if (!parsed.success) return null;
  const byId = new Map(candidates.map((item) => [item.id, item]));
  const selected: Selected = [];
  for (const one of parsed.data.selected) {
    const entry = entrySchema.safeParse(one);
    const item = byId.get(entry.data?.event_id ?? entry.data?.state_id ?? '');
    if (!entry.success || item === undefined) continue;
    byId.delete(item.id);
    const { why, snippet } = entry.data;
    selected.push(entryOf(item, why.slice(0, 500), cutToTokens(snippet || item.text, SNIPPET_TOKENS)));
  }
  return selected.slice(0, most);
}

const id = z.string().nullable().catch(null);
const entrySchema = z.object({
  event_id: id,
  state_id: id,
  why: z.string().catch(''),
  snippet: z.string().catch(''),
});

function entryOf({ type, id }: Item, why: string, snippet: string): Selected[number] {
  return {
    type,
    event_id: type === 'event' ? id : null,
    state_id: type === 'state' ? id : null,
    affect_id: null,
    why,
    snippet,
  };
}
