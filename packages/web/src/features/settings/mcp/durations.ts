/** A duration in the largest unit that gives a whole number. */
export function durationOf(seconds: number): {
  readonly unit: 'hours' | 'minutes' | 'seconds';
  readonly count: number;
} {
  if (seconds > 0 && seconds % 3_600 === 0) return { unit: 'hours', count: seconds / 3_600 };
  if (seconds > 0 && seconds % 60 === 0) return { unit: 'minutes', count: seconds / 60 };
  return { unit: 'seconds', count: seconds };
}

/** The choices including the current value, in order. */
export function withPresent(choices: readonly number[], present: number): readonly number[] {
  return [...new Set([...choices, present])].sort((a, b) => a - b);
}
