import { isolated } from '@aizuchi/shared/platform/texts/isolated';

/** What is known of several facts in one line, "a · b": none of them turns the others. */
export function joined(parts: readonly (string | false | undefined)[], by = ' · '): string {
  return parts.flatMap((part) => (part ? [isolated(part)] : [])).join(by);
}
