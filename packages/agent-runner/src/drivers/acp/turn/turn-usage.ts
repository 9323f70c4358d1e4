import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Usage } from '../../../turn-events.ts';
import type { PromptEnd } from '../agent-messages.ts';

type UsageUpdate = Extract<SessionUpdate, { sessionUpdate: 'usage_update' }>;

export interface UsageBefore {
  /** The model that the session says it uses. */
  readonly model: string | undefined;
  /** Of the session when the turn began; undefined: not known, so that of the turn is not either. */
  readonly costUsd: number | undefined;
}

/** What one turn has cost: the sum of its prompts, and of the session's cost what was added. */
export class TurnUsage {
  readonly #before: UsageBefore;
  #costUsd: number | undefined;
  #usage: Usage | undefined;

  constructor(before: UsageBefore) {
    this.#before = before;
  }

  /** Of the whole session so far, as far as it is known. */
  get sessionCostUsd(): number | undefined {
    return this.#costUsd ?? this.#before.costUsd;
  }

  /** An agent reports the cost of its session so far. */
  learn({ cost }: UsageUpdate): void {
    if (cost?.currency === 'USD') this.#costUsd = cost.amount;
  }

  /** With what the agent says at the end of a prompt; undefined: it says nothing. */
  add({ usage, _meta: meta }: PromptEnd): Usage | undefined {
    const quota = meta?.quota;
    const inputTokens = usage
      ? usage.inputTokens + (usage.cachedWriteTokens ?? 0)
      : quota?.token_count.input_tokens;
    const outputTokens = usage?.outputTokens ?? quota?.token_count.output_tokens;
    const costUsd = costSince(this.#costUsd, this.#before.costUsd);
    if (!inputTokens && !outputTokens && costUsd === undefined) return undefined;
    const model = quota?.model_usage.at(-1)?.model ?? this.#before.model;
    const cached = (this.#usage?.cacheReadTokens ?? 0) + (usage?.cachedReadTokens ?? 0);
    this.#usage = {
      ...(model !== undefined && { model }),
      inputTokens: (this.#usage?.inputTokens ?? 0) + Math.round(inputTokens ?? 0),
      outputTokens: (this.#usage?.outputTokens ?? 0) + Math.round(outputTokens ?? 0),
      ...(cached > 0 && { cacheReadTokens: Math.round(cached) }),
      ...(costUsd !== undefined && { costUsd }),
    };
    return this.#usage;
  }
}

/** Some agents count the cost of a session on, some begin at 0 with each process. */
function costSince(total: number | undefined, before: number | undefined): number | undefined {
  if (total === undefined || before === undefined) return undefined;
  return total < before ? total : total - before;
}
