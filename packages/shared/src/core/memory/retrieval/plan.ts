import { z } from 'zod';
import { LIFE_STAGES, SEARCH_MODES, type SearchPlan } from '../../../contract/memory.ts';
import { beginningOf, storableText } from '../../rules/storable-text.ts';

/** Makes the plan of a search, for example by a model; what it returns is checked. */
export type Planner = (input: { readonly text: string; readonly now: Date }) => Promise<unknown>;

/** How long a plan is waited for. */
export const PLANNER_MS = 1_500;

const MAX = { queries: 5, ofQuery: 500, perBucket: 50, candidates: 200, selected: 100 };

/** A plan as a model may write it. Null: it is none. What is wrong inside costs that element only. */
export function cleanPlan(value: unknown, rules: SearchPlan): SearchPlan | null {
  const parsed = z
    .object({
      mode: z.enum(SEARCH_MODES).catch(rules.mode),
      queries: z.array(z.unknown()).catch([]),
      time_hint: z
        .object({
          about_year_start: year,
          about_year_end: year,
          life_stage_hint: z.enum(LIFE_STAGES).catch(''),
        })
        .catch(rules.time_hint),
      diversify: z
        .object({ by: z.array(z.unknown()).catch([]), per_bucket: clamped(MAX.perBucket, 5) })
        .catch({ by: [], per_bucket: 5 }),
      limits: z
        .object({
          max_candidates: clamped(MAX.candidates, rules.limits.max_candidates),
          max_selected: clamped(MAX.selected, rules.limits.max_selected),
        })
        .catch(rules.limits),
    })
    .safeParse(value);
  if (!parsed.success) return null;
  const { queries, diversify, ...plan } = parsed.data;
  return {
    ...plan,
    queries: queries
      .filter((one) => typeof one === 'string')
      .map((one) => beginningOf(storableText(one), MAX.ofQuery).trim())
      .filter((one) => one !== '')
      .slice(0, MAX.queries),
    diversify: {
      ...diversify,
      by: diversify.by.filter((one) => one === 'life_stage' || one === 'about_year_bucket'),
    },
  };
}

const year = z.int().min(1).max(9_999).nullable().catch(null);

function clamped(most: number, otherwise: number) {
  return z
    .number()
    .transform((value) => Math.min(most, Math.max(1, Math.round(value))))
    .catch(otherwise);
}
