import { isolated } from '@aizuchi/shared/platform/texts/isolated';

/** The given parts in one line, "a · b", each isolated: a right-to-left part does not reorder the others. */
export function joined(parts: readonly (string | false | undefined)[], by = ' · '): string {
  return parts.flatMap((part) => (part ? [isolated(part)] : [])).join(by);
}
