/** A part that waits for parts before it in its list, by their numbers from 1. */
export interface OrderedPart {
  readonly title: string;
  readonly dependsOn: readonly number[];
}

/** Of the list, from 1; with a title of its own. */
export interface Choice {
  readonly n: number;
  readonly title?: string | undefined;
}

/** The number of the first part that waits for itself, a later one, or one that is not there; undefined: all is well. */
export function misplacedPart(parts: readonly OrderedPart[]): number | undefined {
  const index = parts.findIndex(({ dependsOn }, before) => dependsOn.some((n) => n > before));
  return index === -1 ? undefined : index + 1;
}

/**
 * The chosen parts in the order of the list, whatever the order of the choice; undefined: one is not there. What a part
 * waited for through parts that were not chosen it waits for itself, so the order stays. Numbers are those of the result.
 */
export function chosenParts<P extends OrderedPart>(
  parts: readonly P[],
  choices: readonly Choice[] | undefined,
): (P & OrderedPart)[] | undefined {
  const byNumber = new Map(choices?.map((choice) => [choice.n, choice]));
  const isChosen = (n: number) => choices === undefined || byNumber.has(n);
  if (choices?.some(({ n }) => n > parts.length)) return undefined;
  /** By number: what waits for this part waits for these places. */
  const standsFor = new Map<number, readonly number[]>();
  const chosen: (P & OrderedPart)[] = [];
  for (const [index, part] of parts.entries()) {
    const n = index + 1;
    const waits = new Set(part.dependsOn.flatMap((before) => standsFor.get(before) ?? []));
    const dependsOn = [...waits].sort((a, b) => a - b);
    if (!isChosen(n)) {
      standsFor.set(n, dependsOn);
      continue;
    }
    standsFor.set(n, [chosen.length + 1]);
    chosen.push({ ...part, title: byNumber.get(n)?.title ?? part.title, dependsOn });
  }
  return chosen;
}
