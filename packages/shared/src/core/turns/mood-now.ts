import { z } from 'zod';
import { moodAt } from '../memory/rules/growth/mood.ts';
import type { LongMood } from './turn-blocks.ts';

const axes = z.object({ v: z.number(), a: z.number(), d: z.number() });
const computedSchema = z.object({
  baseline_vad: axes,
  shock_vad: axes,
  shock_halflife_seconds: z.number().positive(),
});
/** Of a state that a model or a person has written. */
const givenSchema = z.union([z.object({ vad: axes }).transform(({ vad }) => vad), axes]);

/** What the state of a mood says at a moment. undefined: it names no values. */
export function vadAt(
  { payload, lastConfirmedAt: at }: { readonly payload: unknown; readonly lastConfirmedAt: Date },
  now: Date,
): LongMood['vad'] | undefined {
  const computed = computedSchema.safeParse(payload).data;
  if (!computed) return givenSchema.safeParse(payload).data;
  const { baseline_vad: baseline, shock_vad: shock, shock_halflife_seconds: shockHalfLifeSeconds } = computed;
  return moodAt({ baseline, shock, shockHalfLifeSeconds, shockSeverity: 0, at }, now);
}
