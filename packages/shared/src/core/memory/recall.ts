import type { Degradation, MemorySearch, SearchMemoryBody, SearchResultPack } from '../../contract/memory.ts';
import type { MemoryScope } from './memory-scope.ts';

/** Whether models are asked. */
export interface RecallOptions {
  /** Asks no model for the plan and the selection, and waits little for the vector of the text. */
  readonly byRules?: boolean | undefined;
}

/** What is to be recalled before an answer. */
export interface RecallInput extends RecallOptions {
  /** What was said. */
  readonly text: string;
  /** Who said it: its previous turns are the first that are looked at. */
  readonly clientId: string;
  /** The event of this turn, which is not found itself, and nothing after it. */
  readonly eventId?: string | undefined;
  /** The messages that the text was made of, when they are no event yet: what is kept goes with the event of any. */
  readonly messageIds?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  /** For the plan, the collectors and the selection together. */
  readonly budgetMs?: number | undefined;
}

export interface Recollection {
  /** null: memory was away. */
  readonly runId: string | null;
  readonly degraded: readonly Degradation[];
  readonly pack: SearchResultPack;
}

/**
 * What other services ask of memory. The memory service implements it; the others call it by HTTP (memory-client.ts).
 */
export interface Memory {
  /** @throws AppError unavailable */
  search(scope: MemoryScope, body: SearchMemoryBody, options?: RecallOptions): Promise<MemorySearch>;
  /** Never fails: an empty pack and `memory_unavailable` when there is no answer in time. */
  recall(scope: MemoryScope, input: RecallInput): Promise<Recollection>;
}
