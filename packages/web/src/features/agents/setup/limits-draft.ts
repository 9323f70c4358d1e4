import type { Agent } from '@aizuchi/shared/contract/agent';
import { FRACTION } from './box-draft.ts';

/** The fields of the form: digits, with or without separators; empty: no limit. */
export interface LimitsDraft {
  readonly dailyTokenLimit: string;
  readonly maxParallelTasks: string;
}

const MAX_TOKENS = 1_000_000_000_000;
export const MAX_PARALLEL = 20;

export function limitsDraftOf(
  { dailyTokenLimit, maxParallelTasks }: Pick<Agent, 'dailyTokenLimit' | 'maxParallelTasks'>,
  locale: string,
): LimitsDraft {
  return {
    dailyTokenLimit: dailyTokenLimit?.toLocaleString(locale) ?? '',
    maxParallelTasks: String(maxParallelTasks),
  };
}

/** Undefined: it is no number that can be a limit. 0 and nothing mean no limit. */
export function tokensOf({ dailyTokenLimit }: LimitsDraft): number | null | undefined {
  const typed = dailyTokenLimit.normalize('NFKC');
  const text = typed.replace(/[\s,.'’_]/g, '');
  if (text === '') return null;
  if (!/^\d+$/.test(text) || FRACTION.test(typed)) return undefined;
  const tokens = Number(text);
  if (tokens > MAX_TOKENS) return undefined;
  return tokens === 0 ? null : tokens;
}

/** Undefined: it is no number of tasks. */
export function parallelOf({ maxParallelTasks }: LimitsDraft): number | undefined {
  const tasks = Number(maxParallelTasks.normalize('NFKC').trim() || 'none');
  return Number.isInteger(tasks) && tasks >= 1 && tasks <= MAX_PARALLEL ? tasks : undefined;
}

/** From 0 to 1. */
export function shareOf(used: number, limit: number): number {
  return Math.min(1, used / limit);
}
