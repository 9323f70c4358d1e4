import type { RetrievalRun, SearchResultPack } from '@aizuchi/shared/contract/memory';

export type UsedItem = SearchResultPack['selected'][number];

/** The id of what was used; an affect is known by the event that it belongs to. */
export function usedId({ event_id, state_id, affect_id }: UsedItem): string {
  return state_id ?? event_id ?? affect_id ?? '';
}

/** The legs that found it. What a model has selected has its own words in their place. */
export function legsOf(run: Pick<RetrievalRun, 'selectedSource'>, { why }: UsedItem): readonly string[] {
  return run.selectedSource === 'rank' ? why.split(', ').filter((leg) => leg !== '') : [];
}

/** How long the retrieval took: plan and selection follow one another, everything between them is done at once. */
export function millisecondsOf({ timings }: Pick<RetrievalRun, 'timings'>): number {
  const { plan = 0, selection = 0, ...collectors } = timings;
  return Math.round(plan + Math.max(0, ...Object.values(collectors)) + selection);
}
