import type { MemoryMood } from '@aizuchi/shared/contract/memory';

type Moment = MemoryMood['moments'][number];

export interface MoodLine {
  /** Of an SVG path. */
  readonly path: string;
  /** The lowest point, and the last one. */
  readonly lowest: MoodPoint;
  readonly last: MoodPoint;
}

interface MoodPoint {
  readonly x: number;
  readonly y: number;
  readonly moment: Moment;
}

export const MOOD_BOX = { width: 160, height: 32 } as const;
const EDGE = 4;

/** How pleasant it was, over time; null: there are too few moments for a line. */
export function moodLine(moments: readonly Moment[]): MoodLine | null {
  const [first] = moments;
  const newest = moments.at(-1);
  if (!first || !newest || moments.length < 2) return null;
  const start = Date.parse(first.at);
  const span = Math.max(1, Date.parse(newest.at) - start);
  const points = moments.map(
    (moment): MoodPoint => ({
      x: rounded(EDGE + ((Date.parse(moment.at) - start) / span) * (MOOD_BOX.width - 2 * EDGE)),
      y: yOf(moment.mood.v),
      moment,
    }),
  );
  const lowest = points.reduce((low, point) => (point.y > low.y ? point : low));
  const last = points.at(-1);
  if (!last) return null;
  return {
    path: points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join(''),
    lowest,
    last,
  };
}

/** 0 is in the middle. */
export function yOf(pleasure: number): number {
  const { height } = MOOD_BOX;
  return rounded(height / 2 - pleasure * (height / 2 - EDGE));
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Pleasure in a word: near the middle it is neither. */
export function toneOf(pleasure: number): 'low' | 'calm' | 'high' {
  if (pleasure < -0.2) return 'low';
  return pleasure > 0.2 ? 'high' : 'calm';
}
