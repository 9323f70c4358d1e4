import { z } from 'zod';
import { searchPlanSchema } from '../../../contract/memory.ts';
import type { LanguageModel } from '../../../platform/models/model-ports.ts';
import { PLANNER_MS, type Planner } from './plan.ts';

const MAX_OUTPUT_TOKENS = 500;
/** What is looked for stands at the end of a long text. */
const LONGEST_INPUT = 4_000;

const INSTRUCTIONS = [
  'Plan the search of an agent in its memory, before it answers what was just said to it. Answer with one SearchPlan as JSON, nothing else.',
  'mode: associative_recent when unsure; targeted_broad for a question about something known; explicit_about_time when a time or a stage of life is named.',
  'queries: at most 5 short search words or names, in the language of the input, also synonyms that may have been used.',
  'time_hint: the years and the stage of life that it is about, null and "" when none is named. diversify.by: [] unless the answer needs many periods.',
  'limits: max_candidates 200, max_selected 12, fewer for small talk.',
].join('\n');

/** Only that it is an object: what is wrong inside costs that element only (cleanPlan). */
const readSchema = z.record(z.string(), z.unknown());

/** Lets a model plan the search. */
export function modelPlanner(model: LanguageModel, timeoutMs = PLANNER_MS): Planner {
  return ({ text, now }) =>
    model.complete({
      schemaName: 'SearchPlan',
      schema: searchPlanSchema,
      read: readSchema,
      instructions: INSTRUCTIONS,
      input: JSON.stringify({ input: text.slice(-LONGEST_INPUT), now: now.toISOString() }),
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      signal: AbortSignal.timeout(timeoutMs),
    });
}
