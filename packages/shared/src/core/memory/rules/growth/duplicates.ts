import { tokensOf } from '../tokens.ts';
import { normalised } from './sentences.ts';

export interface TidyState {
  readonly id: string;
  readonly projectId: string | null;
  readonly kind: string;
  readonly bodyText: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly validFrom: Date | null;
}

export interface SameStates {
  readonly kept: TidyState;
  readonly closed: TidyState;
}

/** Why a state was closed that says the same as another: as its revision keeps it. */
export const MERGED = {
  same: 'tidied: says the same as another',
  similar: 'tidied: the same in other words',
} as const;

/** Of more a comparison of each with each takes too long. */
const MOST_COMPARED = 400;
const LEAST_ALIKE = 0.6;
/** Keys of a payload that say how it was made and not what it says. */
const MADE = new Set(['made_by', 'subject_name']);

/**
 * Open states that say the same as one that was confirmed later (`states`: the last confirmed first): `same` word for word,
 * `similar` in most of their words. A task is only the same as one with the same day.
 */
export function sameBefore(states: readonly TidyState[]): { same: SameStates[]; similar: SameStates[] } {
  const same: SameStates[] = [];
  const first = new Map<string, TidyState>();
  for (const state of states) {
    const key = JSON.stringify([
      state.projectId,
      state.kind,
      normalised(state.bodyText),
      plain(state.payload),
    ]);
    const kept = first.get(key);
    if (kept) same.push({ kept, closed: state });
    else first.set(key, state);
  }
  const rest = [...first.values()].slice(0, MOST_COMPARED).map((state) => ({
    state,
    terms: new Set(tokensOf(state.bodyText).map(({ text }) => text)),
  }));
  const similar: SameStates[] = [];
  rest.forEach((one, index) => {
    for (const other of rest.slice(index + 1))
      if (isOfOneKind(one.state, other.state) && alike(one.terms, other.terms) >= LEAST_ALIKE)
        similar.push({ kept: one.state, closed: other.state });
  });
  return { same, similar };
}

function isOfOneKind(one: TidyState, other: TidyState): boolean {
  return (
    one.kind === other.kind && one.projectId === other.projectId && one.payload.due === other.payload.due
  );
}

function alike(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const both = [...one].filter((term) => other.has(term)).length;
  return both === 0 ? 0 : both / (one.size + other.size - both);
}

function plain(payload: Readonly<Record<string, unknown>>): unknown {
  return Object.entries(payload)
    .filter(([key]) => !MADE.has(key))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}
