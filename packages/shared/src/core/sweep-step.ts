import type { SettingName } from '../contract/settings.ts';
import type { ServiceDeps } from './deps.ts';

/** The number of candidates that one step reads in one round; later ones come with the next round. */
export const PAGE = 200;

/** What steps work with. */
export interface SweepContext {
  readonly deps: ServiceDeps;
  /** Milliseconds since the epoch: since when rounds have followed each other without a pause. */
  readonly awakeSince: number;
}

/**
 * Does the work of one row; `row` is its name in the log. A failure concerns only that row: it is counted and
 * logged, and the step continues. False: it failed, or `work` did nothing.
 */
export type Attempt = (row: string, work: () => Promise<boolean>) => Promise<boolean>;

/** One kind of repair; returns for how many rows it did something. */
export type SweepStep = (context: SweepContext, attempt: Attempt) => Promise<number>;

/** Made once per sweeper: a step may remember its position. */
export interface NewSweepStep {
  (): SweepStep;
  /**
   * A query with one column `at`: the times from which on a row has to be handled; null where there is none.
   * It may return a time without need, but must miss none. The functions below give it the time and the
   * settings. A step without it is run at every look, and must decide by itself whether there is anything to
   * do.
   */
  readonly deadlines?: string;
}

/**
 * In `deadlines`: the time of the look. Subqueries hide the values from Postgres, which would otherwise plan
 * the long statement anew for each value, with the same plan, and compute a setting anew for each row.
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

/** In `deadlines`: `at`; when it has passed, only where `condition` holds, which may be expensive. */
export function whilePastSql(at: string, condition: string): string {
  return `case when ${at} > ${LOOK_TIME_SQL} or ${condition} then ${at} end`;
}

interface RowStep<Row> {
  readonly deadlines: string;
  /**
   * The next `limit` rows whose time may have come, in an order that does not depend on their content, after
   * the position `after`; only rows that can be handled.
   */
  readonly candidates: (context: SweepContext, after: Row | null, limit: number) => Promise<Row[]>;
  readonly nameOf: (row: Row) => string;
  /** Locks, checks again, and does the work in a transaction of its own. False: there was nothing to do. */
  readonly act: (context: SweepContext, row: Row) => Promise<boolean>;
}

/**
 * A step over rows, one page in a round. The next round continues after the last row, and at the front when
 * all were read: rows that always fail, or that the rule refuses, are read again and again, but hide no
 * others (trap 26).
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
