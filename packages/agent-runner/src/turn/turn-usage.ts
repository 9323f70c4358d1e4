import { USAGE_LIMITS } from '@aizuchi/shared/contract/usage';
import type { Usage } from '../turn-events.ts';

/** What a turn has cost, as respond_chat takes it. */
export interface TurnUsage {
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens?: number;
    readonly cost_usd?: number;
    readonly duration_ms: number;
  };
  readonly model?: string;
}

/** A driver passes on what a model said: a number that is none must not cost the answer. */
export function toTurnUsage(usage: Usage, durationMs: number): TurnUsage {
  const { inputTokens, outputTokens, cacheReadTokens, costUsd } = usage;
  const model = usage.model === undefined ? '' : lineOf(usage.model);
  return {
    usage: {
      input_tokens: whole(inputTokens, USAGE_LIMITS.tokens),
      output_tokens: whole(outputTokens, USAGE_LIMITS.tokens),
      ...(cacheReadTokens !== undefined && {
        cache_read_tokens: whole(cacheReadTokens, USAGE_LIMITS.tokens),
      }),
      ...(costUsd !== undefined &&
        Number.isFinite(costUsd) && { cost_usd: within(costUsd, USAGE_LIMITS.costUsd) }),
      duration_ms: whole(durationMs, USAGE_LIMITS.durationMs),
    },
    ...(model !== '' && { model }),
  };
}

function whole(value: number, most: number): number {
  return Number.isFinite(value) ? Math.round(within(value, most)) : 0;
}

function within(value: number, most: number): number {
  return Math.min(most, Math.max(0, value));
}

/** The name of a model as the server takes it: one line without hidden characters. */
function lineOf(text: string): string {
  const line = text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, ' ').trim();
  return [...line].slice(0, USAGE_LIMITS.modelLength).join('');
}
