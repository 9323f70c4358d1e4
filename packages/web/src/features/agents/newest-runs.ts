import type { Run } from '@aizuchi/shared/contract/run';

/** The newest of several lists, newest first. */
export function newestRuns(lists: readonly (readonly Run[])[], most: number): readonly Run[] {
  return lists
    .flat()
    .toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt))
    .slice(0, most);
}
