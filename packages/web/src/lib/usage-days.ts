import type { UsageSum } from '@aizuchi/shared/contract/usage';
import { addDays } from '@aizuchi/shared/core/usage/rules/local-day';

export type UsageRow = UsageSum & { readonly key: string };

/** Tokens in and out, as a limit counts them. */
export function tokensIn({ inputTokens, outputTokens }: UsageSum): number {
  return inputTokens + outputTokens;
}

export interface UsageDay {
  /** Such as 2026-11-26. */
  readonly day: string;
  readonly tokens: number;
}

/** One entry for each day from the first to the last, also where nothing was used; oldest first. */
export function everyDay(rows: readonly UsageRow[], from: string, to: string): readonly UsageDay[] {
  const tokens = new Map(rows.map((row) => [row.key, tokensIn(row)]));
  const days: UsageDay[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push({ day, tokens: tokens.get(day) ?? 0 });
  return days;
}

/** All rows together; `costUsd` of those whose cost is known. */
export function totalOf(rows: readonly UsageSum[]): UsageSum {
  const sum = (value: (row: UsageSum) => number) => rows.reduce((total, row) => total + value(row), 0);
  const costs = rows.flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]));
  return {
    messages: sum(({ messages }) => messages),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cacheReadTokens: sum(({ cacheReadTokens }) => cacheReadTokens),
    durationMs: sum(({ durationMs }) => durationMs),
    ...(costs.length > 0 && { costUsd: costs.reduce((total, cost) => total + cost, 0) }),
  };
}

/** The height of a bar from 0 to 1. What is not nothing is visible. */
export function barHeight(tokens: number, most: number): number {
  return tokens === 0 || most === 0 ? 0 : Math.max(0.03, tokens / most);
}
