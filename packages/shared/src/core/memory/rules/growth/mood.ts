import type { Vad } from './write-plan.ts';

/** One thing felt, in the order of time. */
export interface Moment {
  readonly at: Date;
  readonly vad: Vad;
  readonly confidence: number;
}

/** How an agent has felt lately: what lasts, and what passes within hours. */
export interface Mood {
  readonly baseline: Vad;
  readonly shock: Vad;
  readonly shockHalfLifeSeconds: number;
  readonly shockSeverity: number;
  /** Of the last moment. */
  readonly at: Date;
}

const HOUR_MS = 3_600_000;
const BASELINE_HALF_LIFE_MS = 24 * HOUR_MS;
const SHOCK_HOURS = { least: 1, most: 24 };
const CALM: Vad = { v: 0, a: 0, d: 0 };

/** null: nothing was felt. */
export function moodOf(moments: readonly Moment[]): Mood | null {
  let mood: Mood | null = null;
  for (const moment of moments) if (moment.confidence > 0) mood = felt(mood, moment);
  return mood;
}

/** What was felt after each of these moments. */
export function moodsAfter(moments: readonly Moment[]): Vad[] {
  let mood: Mood | null = null;
  return moments.map((moment) => {
    if (moment.confidence > 0) mood = felt(mood, moment);
    return mood ? moodAt(mood, moment.at) : CALM;
  });
}

/** What is felt at `now`: the shock fades, the baseline stays. */
export function moodAt(mood: Mood, now: Date): Vad {
  const left = shockLeft(mood, now);
  return each((axis) => clamped(mood.baseline[axis] + left[axis]));
}

function felt(before: Mood | null, { at, vad, confidence }: Moment): Mood {
  const passedMs = before ? Math.max(0, at.getTime() - before.at.getTime()) : BASELINE_HALF_LIFE_MS;
  const baseline = before?.baseline ?? CALM;
  const gap = each((axis) => vad[axis] - baseline[axis]);
  const severity = Math.max(Math.abs(gap.v), Math.abs(gap.a), Math.abs(gap.d)) / 2;
  const share = (1 - 0.5 ** (passedMs / BASELINE_HALF_LIFE_MS)) * confidence;
  const old = before ? shockLeft(before, at) : CALM;
  const weight = (0.6 + 0.3 * severity) * confidence;
  const { least, most } = SHOCK_HOURS;
  return {
    baseline: each((axis) => clamped(baseline[axis] + gap[axis] * share)),
    shock: each((axis) => old[axis] + (gap[axis] - old[axis]) * weight),
    shockHalfLifeSeconds: Math.round((least + (most - least) * severity ** 2) * 3_600),
    shockSeverity: severity,
    at: before && before.at > at ? before.at : at,
  };
}

function shockLeft({ shock, shockHalfLifeSeconds, at }: Mood, now: Date): Vad {
  const passed = Math.max(0, now.getTime() - at.getTime()) / 1_000;
  const left = 0.5 ** (passed / shockHalfLifeSeconds);
  return each((axis) => shock[axis] * left);
}

function each(of: (axis: keyof Vad) => number): Vad {
  return { v: of('v'), a: of('a'), d: of('d') };
}

function clamped(value: number): number {
  return Math.round(Math.min(1, Math.max(-1, value)) * 10_000) / 10_000;
}
