import { z } from 'zod';
import type { SearchPlan, SearchResultPack } from '../../../contract/memory.ts';
import { beginningOf, storableText } from '../../rules/storable-text.ts';
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

/** How long a selection is waited for. */
export const SELECTOR_MS = 2_500;

type Selected = SearchResultPack['selected'];

const PACK_TOKENS = 2_000;
const SNIPPET_TOKENS = 200;

/** The first of the ranking that fit into the pack. */
export function selectByRank(items: readonly SelectableItem[], most: number): Selected {
  const cut = items.slice(0, most).map((item) => ({ item, text: cutToTokens(item.ownText, SNIPPET_TOKENS) }));
  return packed(cut, PACK_TOKENS).map(({ item, text }) => entryOf(item, item.hitSources.join(', '), text));
}

/** What of a choice can be used; `dropped` counts what names no candidate. */
export interface CleanSelection {
  readonly selected: Selected;
  readonly dropped: number;
}

/** What a selector chose. Null: it is no selection. Ids that are no candidates are left out, and each is once in it. */
export function cleanSelection(
  value: unknown,
  candidates: readonly SelectableItem[],
  most: number,
): CleanSelection | null {
  const parsed = z.object({ selected: z.array(z.unknown()) }).safeParse(value);
  if (!parsed.success) return null;
  const byId = new Map(candidates.map((item) => [item.id, item]));
  const selected: Selected = [];
  const named = new Set<string>();
  let dropped = 0;
  for (const one of parsed.data.selected) {
    const entry = entrySchema.safeParse(one);
    const item = byId.get(entry.data?.event_id ?? entry.data?.state_id ?? '');
    if (!entry.success || item === undefined) {
      dropped += 1;
      continue;
    }
    if (named.has(item.id)) continue;
    named.add(item.id);
    const { why, snippet } = entry.data;
    // Under this id stands only what this item says: the deletion of another one would not reach the rest.
    const text = snippet !== '' && item.ownText.includes(snippet) ? snippet : item.ownText;
    selected.push(entryOf(item, beginningOf(storableText(why), 500), cutToTokens(text, SNIPPET_TOKENS)));
  }
  return { selected: selected.slice(0, most), dropped };
}

const id = z.string().nullable().catch(null);
const entrySchema = z.object({
  event_id: id,
  state_id: id,
  why: z.string().catch(''),
  snippet: z.string().catch(''),
});

function entryOf({ type, id, mark = '' }: Item, why: string, snippet: string): Selected[number] {
  return {
    type,
    event_id: type === 'event' ? id : null,
    state_id: type === 'state' ? id : null,
    affect_id: null,
    why,
    snippet: `${mark}${snippet}`,
  };
}
