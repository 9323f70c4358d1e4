import { Store } from '../../lib/store.ts';
import { tabStorage } from '../../lib/tab-storage.ts';
import { type Choice, type Draft, EMPTY_DRAFT } from './draft.ts';

const stores = new Map<string, Store<Draft>>();

/** The draft of a card in this tab. It survives a reload, and the chat and the inbox share it. */
export function draftStore(toolUseId: string): Store<Draft> {
  const known = stores.get(toolUseId);
  if (known) return known;
  const store = new Store(readDraft(tabStorage.get(keyOf(toolUseId))));
  store.subscribe(() => {
    const draft = store.get();
    if (draft === EMPTY_DRAFT) tabStorage.remove(keyOf(toolUseId));
    else tabStorage.set(keyOf(toolUseId), JSON.stringify(draft));
  });
  stores.set(toolUseId, store);
  return store;
}

/** What was written for the card in the composer goes with it. */
export function forgetDraft(toolUseId: string): void {
  draftStore(toolUseId).set(EMPTY_DRAFT);
  tabStorage.remove(replyKeyOf(toolUseId));
}

export const replyKeyOf = (toolUseId: string) => `question.${toolUseId}.replies`;

const keyOf = (toolUseId: string) => `question.${toolUseId}`;

/** A text of an unexpected shape gives the empty draft. */
export function readDraft(text: string | undefined): Draft {
  if (text === undefined) return EMPTY_DRAFT;
  try {
    const { step, choices } = JSON.parse(text) as Partial<Draft>;
    const isDraft = Number.isSafeInteger(step) && Array.isArray(choices) && choices.every(isChoice);
    return isDraft ? { step: Number(step), choices: choices as readonly Choice[] } : EMPTY_DRAFT;
  } catch {
    return EMPTY_DRAFT;
  }
}

function isChoice(value: unknown): value is Choice {
  if (typeof value !== 'object' || value === null) return false;
  const { selected, isOther, otherText } = value as Partial<Choice>;
  const hasIndices = Array.isArray(selected) && selected.every((index) => Number.isSafeInteger(index));
  return hasIndices && typeof isOther === 'boolean' && typeof otherText === 'string';
}
