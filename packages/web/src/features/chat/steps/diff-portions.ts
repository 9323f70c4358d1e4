import type { DiffLine } from './diff-lines.ts';

/** Shown at first, and more with each press. */
const FIRST_LINES = 60;
const PORTION_LINES = 300;

interface DiffPortion {
  readonly shown: readonly DiffLine[];
  /** Folded lines. */
  readonly left: number;
  /** How many of them the next press shows. */
  readonly next: number;
  /** Lines that the diff has and does not hold. */
  readonly cut: number;
}

/** A first part of the lines of a diff. `presses`: how often a person asked for more. */
export function portionOf(lines: readonly DiffLine[], presses: number): DiffPortion {
  const last = lines.at(-1);
  const cut = last?.kind === 'cut' ? last.count : 0;
  const held = cut > 0 ? lines.slice(0, -1) : lines;
  const shown = held.slice(0, FIRST_LINES + presses * PORTION_LINES);
  const left = held.length - shown.length;
  return { shown, left, next: Math.min(left, PORTION_LINES), cut };
}
