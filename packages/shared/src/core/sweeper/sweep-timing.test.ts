import { describe, expect, it } from 'vitest';
import { type Due, FULL_ROUND_EVERY_MS, MAX_LOOK_INTERVAL_MS, SweepTiming } from './sweep-timing.ts';

const START = 1_000_000;
type Step = 'idle' | 'cards';
const NOTHING: Due = { isPast: false, nextAt: null };
const PAST: Due = { isPast: true, nextAt: null };

/** A timing that has had its first look, at START, and has run all steps. */
function started() {
  const timing = new SweepTiming<Step>(['idle', 'cards']);
  const look = (now: number, dues: Partial<Record<Step, Due>> | null) => {
    timing.begin(now);
    const asked = timing.choose(
      now,
      dues &&
        new Map<Step, Due>([
          ['idle', dues.idle ?? NOTHING],
          ['cards', dues.cards ?? NOTHING],
        ]),
    );
    return asked;
  };
  const lookInVain = (now: number, dues: Partial<Record<Step, Due>> | null) => {
    const asked = look(now, dues);
    for (const step of asked) timing.ran(step, now, 0);
    return asked;
  };
  lookInVain(START, {});
  return { timing, look, lookInVain };
}

describe('the next look', () => {
  it('is at the next deadline, and runs only the step of that deadline', () => {
    const { timing, look } = started();
    expect(look(START + 1_000, { idle: { isPast: false, nextAt: START + 3_700 } })).toEqual([]);
    expect(timing.nextLookAt()).toBe(START + 3_700);
    expect(look(START + 3_700, { idle: PAST })).toEqual(['idle']);
  });

  it('is after ten seconds when nothing is due', () => {
    const { timing, look } = started();
    look(START + 1_000, { idle: { isPast: false, nextAt: START + 600_000 } });
    expect(timing.nextLookAt()).toBe(START + 1_000 + MAX_LOOK_INTERVAL_MS);
  });

  it('combines deadlines that are close together', () => {
    const { timing, look } = started();
    look(START + 1_000, { idle: { isPast: false, nextAt: START + 1_001 } });
    expect(timing.nextLookAt()).toBe(START + 1_250);
  });

  it('is a second after the last one when something has changed', () => {
    const { timing, look } = started();
    look(START + 1_000, {});
    timing.hint();
    timing.hint();
    expect(timing.nextLookAt()).toBe(START + 2_000);
    look(START + 2_000, {});
    expect(timing.nextLookAt()).toBe(START + 2_000 + MAX_LOOK_INTERVAL_MS);
  });

  it('sees a change that came while the previous look was reading', () => {
    const { timing } = started();
    timing.begin(START + 1_000);
    timing.hint();
    timing.choose(
      START + 1_300,
      new Map([
        ['idle', NOTHING],
        ['cards', NOTHING],
      ]),
    );
    expect(timing.nextLookAt()).toBe(START + 2_000);
  });
});

describe('a row past its time', () => {
  it('that cannot be handled is tried after 1, 2, 4 and then 5 s', () => {
    const { lookInVain } = started();
    const at: number[] = [];
    for (let now = START + 6_000; now < START + 30_000; now += 250)
      if (lookInVain(now, { idle: PAST }).includes('idle')) at.push(now - START - 6_000);
    expect(at).toEqual([0, 1_000, 3_000, 7_000, 12_000, 17_000, 22_000]);
  });

  it('is tried a second after a change again', () => {
    const { timing, lookInVain } = started();
    for (let now = START + 1_000; now < START + 9_000; now += 250) lookInVain(now, { idle: PAST });
    timing.hint();
    expect(lookInVain(START + 9_000, { idle: PAST })).toEqual(['idle']);
    expect(lookInVain(START + 9_500, { idle: PAST })).toEqual([]);
    expect(lookInVain(START + 10_000, { idle: PAST })).toEqual(['idle']);
  });

  it('hides no other row of its step that becomes due', () => {
    const { timing, lookInVain } = started();
    const dues = { idle: { isPast: true, nextAt: START + 9_300 } };
    for (let now = START + 1_000; now < START + 9_000; now += 250) lookInVain(now, dues);
    expect(timing.nextLookAt()).toBe(START + 9_300);
    expect(lookInVain(START + 9_300, { idle: PAST })).toEqual(['idle']);
  });

  it('is followed a second later by the rows behind it, when something was done', () => {
    const { timing, look } = started();
    look(START + 1_000, { idle: PAST });
    timing.ran('idle', START + 1_100, 200);
    expect(timing.nextLookAt()).toBe(START + 2_100);
    expect(look(START + 2_100, { idle: PAST })).toEqual(['idle']);
  });
});

describe('every step is run', () => {
  it('when the deadlines could not be read; repeatedly, but not faster', () => {
    const { timing, lookInVain } = started();
    expect(lookInVain(START + 1_000, null)).toEqual(['idle', 'cards']);
    expect(timing.nextLookAt()).toBeGreaterThanOrEqual(START + 2_000);
  });

  it('once a minute, whatever the deadlines are', () => {
    const { look } = started();
    expect(look(START + FULL_ROUND_EVERY_MS - 1, {})).toEqual([]);
    expect(look(START + FULL_ROUND_EVERY_MS, {})).toEqual(['idle', 'cards']);
  });

  it('at each look if it has no deadlines, and makes no look earlier unless it did something', () => {
    const timing = new SweepTiming<'pruned'>(['pruned']);
    for (const now of [START, START + 500, START + 1_000]) {
      timing.begin(now);
      expect(timing.choose(now, new Map())).toEqual(['pruned']);
      timing.ran('pruned', now, 0);
    }
    expect(timing.nextLookAt()).toBe(START + 1_000 + MAX_LOOK_INTERVAL_MS);
    timing.ran('pruned', START + 1_000, 500);
    expect(timing.nextLookAt()).toBe(START + 2_000);
  });
});
