import { CHANGES_LIMITS } from '@aizuchi/shared/contract/changes';

/** The first of a list of paths, as many as a report holds. */
export function withinLimits<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  let bytes: number = CHANGES_LIMITS.listBytes;
  const end = items.findIndex((item, index) => {
    bytes -= Buffer.byteLength(JSON.stringify(pathOf(item)));
    return bytes < 0 || index >= CHANGES_LIMITS.paths;
  });
  return items.slice(0, end === -1 ? items.length : end);
}
