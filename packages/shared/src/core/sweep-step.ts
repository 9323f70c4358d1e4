import type { ServiceDeps } from './deps.ts';

/** Candidates that one step looks at in one round; those behind them come with the next. */
export const PAGE = 200;

/** What steps work with. */
export interface SweepContext {
  readonly deps: ServiceDeps;
  /** Milliseconds since the epoch: since when rounds have followed each other without a pause. */
  readonly awakeSince: number;
}

/**
 * Does the work of one row, `row` being its name in the log. A failure is that row's alone: it is counted and said,
 * and the step goes on. False: it failed, or `work` did nothing.
 */
export type Attempt = (row: string, work: () => Promise<boolean>) => Promise<boolean>;

/** One thing that is put right; returns to how many rows it did something. */
export type SweepStep = (context: SweepContext, attempt: Attempt) => Promise<number>;

/** Made once per sweeper: a step may remember where it stands. */
export type NewSweepStep = () => SweepStep;

interface RowStep<Row> {
  /**
   * The next `limit` rows whose time may have come, in an order that no row decides for itself, behind `after`; only
   * such as can be acted upon.
   */
  readonly candidates: (context: SweepContext, after: Row | null, limit: number) => Promise<Row[]>;
  readonly nameOf: (row: Row) => string;
  /** Locks, looks again, and does it in a transaction of its own. False: there was nothing to do. */
  readonly act: (context: SweepContext, row: Row) => Promise<boolean>;
}

/**
 * A step over rows, a page a round. The next round goes on behind the last row, from the front when all were seen: rows
 * that always fail, or that the rule refuses, are met again and again, but hide nobody (trap 26).
 */
export function rowStep<Row>(step: RowStep<Row>): NewSweepStep {
  return () => {
    let after: Row | null = null;
    return async (context, attempt) => {
      const rows: Row[] = await step.candidates(context, after, PAGE);
      let count = 0;
      for (const row of rows) {
        after = row;
        if (await attempt(step.nameOf(row), () => step.act(context, row))) count += 1;
      }
      if (rows.length < PAGE) after = null;
      return count;
    };
  };
}
