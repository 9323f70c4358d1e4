import type { ApprovalOutcome, QuestionOutcome } from '../driver.ts';

/** What became of a card, as `get_next_action` says it. */
export type CardResolution =
  | { readonly kind: 'question'; readonly toolUseId: string; readonly outcome: QuestionOutcome }
  | { readonly kind: 'approval'; readonly toolUseId: string; readonly outcome: ApprovalOutcome };

/** Those of earlier sessions are never taken. */
const KEPT = 100;

/**
 * What became of cards whose id is not known yet: while one card of a turn waits, another may be resolved before the
 * call that showed it is answered.
 */
export class EarlyOutcomes {
  readonly #kept = new Map<string, CardResolution>();

  keep(resolution: CardResolution): void {
    this.#kept.set(keyOf(resolution), resolution);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  take(card: Pick<CardResolution, 'kind' | 'toolUseId'>): CardResolution | undefined {
    const resolution = this.#kept.get(keyOf(card));
    this.#kept.delete(keyOf(card));
    return resolution;
  }
}

/** An id of a question may also be that of an approval. */
function keyOf({ kind, toolUseId }: Pick<CardResolution, 'kind' | 'toolUseId'>): string {
  return `${kind} ${toolUseId}`;
}
