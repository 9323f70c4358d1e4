/** Positions closer than this leave too few numbers between them: the column is spread first. */
const MIN_GAP = 1e-4;

/**
 * The position between two neighbours; null: there is none on that side. `spread`: they are too close, the column has
 * to be given wider gaps first.
 */
export function positionBetween(above: number | null, below: number | null, end: number): number | 'spread' {
  if (below === null) return above === null ? end : Math.max(end, above + 1);
  if (above === null) return below - 1;
  return below - above < MIN_GAP ? 'spread' : (above + below) / 2;
}

/** A task that nobody has put anywhere stands behind those that came before it. */
export function endOfColumn(now: Date): number {
  return now.getTime() / 1_000;
}
