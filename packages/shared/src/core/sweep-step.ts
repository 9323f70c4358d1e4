import type { SettingName } from '../contract/settings.ts';
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
export interface NewSweepStep {
  (): SweepStep;
  /**
   * A query with one column `at`: the moments from which on a row has to be looked at; null where there is none. It
   * may name a moment for nothing, but must miss none. The time and the settings come by the functions below.
   * Without it the step is asked at every look, and must know by itself whether there is anything to do.
   */
  readonly deadlines?: string;
}

/**
 * In `deadlines`: the moment of the look. Values are hidden from Postgres by subqueries: it would plan the long statement
 * anew for each moment, to no other plan, and reckon a setting anew for each row.
 */
export const LOOK_TIME_SQL = '(select $1::timestamptz)';

/** In `deadlines`: a setting in seconds as an interval. */
export function settingSql(name: SettingName): string {
  return `(select make_interval(secs => ($2::jsonb ->> '${name}')::float8))`;
}

/** In `deadlines`: the same, null where 0 means never. */
export function settingOrNeverSql(name: SettingName): string {
  return `(select make_interval(secs => nullif(($2::jsonb ->> '${name}')::float8, 0)))`;
}

/** In `deadlines`: `at`; once it has passed only where `condition` holds, which may cost something. */
export function whilePastSql(at: string, condition: string): string {
  return `case when ${at} > ${LOOK_TIME_SQL} or ${condition} then ${at} end`;
}

interface RowStep<Row> {
  readonly deadlines: string;
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
  const create = (): SweepStep => {
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
  return Object.assign(create, { deadlines: step.deadlines });
}
