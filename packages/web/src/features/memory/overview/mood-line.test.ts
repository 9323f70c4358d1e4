import { expect, test } from 'vitest';
import { MOOD_BOX, moodLine, toneOf, yOf } from './mood-line.ts';

const moment = (at: string, v: number) => ({
  eventId: at,
  at,
  bodyText: '',
  felt: { v, a: 0, d: 0 },
  mood: { v, a: 0, d: 0 },
});

test('the line goes from the oldest to the newest moment, by their times', () => {
  const line = moodLine([
    moment('2026-11-01T00:00:00Z', 0),
    moment('2026-11-02T00:00:00Z', -1),
    moment('2026-11-05T00:00:00Z', 1),
  ]);
  expect(line?.path).toBe('M4 16L42 28L156 4');
  expect(line?.lowest.moment.at).toBe('2026-11-02T00:00:00Z');
  expect(line?.last).toMatchObject({ x: MOOD_BOX.width - 4, y: yOf(1) });
});

test('one moment makes no line', () => {
  expect(moodLine([])).toBeNull();
  expect(moodLine([moment('2026-11-01T00:00:00Z', 1)])).toBeNull();
});

test('a mood near the middle is calm', () => {
  expect([-0.5, 0.1, 0.5].map(toneOf)).toEqual(['low', 'calm', 'high']);
});
