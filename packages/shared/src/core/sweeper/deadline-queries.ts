import { SETTING_NAMES } from '../../contract/settings.ts';
import type { ServiceDeps } from '../deps.ts';
import { LOOK_TIME_SQL } from '../sweep-step.ts';
import { SWEEP_STEPS, type SweepStepName } from './sweep-steps.ts';
import type { Due } from './sweep-timing.ts';

/** For each step whether one of its rows is past its time, and when the next one will be. */
const DEADLINES = Object.entries(SWEEP_STEPS)
  .flatMap(([name, { deadlines }]) => (deadlines === undefined ? [] : [statementOf(name, deadlines)]))
  .join('\nunion all\n');

/** One prepared statement for all steps, which reads live rows only, most of them by an index. */
export async function readDeadlines(
  { database, settings }: Pick<ServiceDeps, 'database' | 'settings'>,
  now: Date,
): Promise<ReadonlyMap<SweepStepName, Due>> {
  const rows = await database.statement<{ step: SweepStepName; is_past: boolean; next_at: Date | null }>({
    name: 'sweep-deadlines',
    text: DEADLINES,
    values: [now, JSON.stringify(await settings.current(), [...SETTING_NAMES])],
  });
  return new Map(
    rows.map(({ step, is_past: isPast, next_at: nextAt }) => [
      step,
      { isPast, nextAt: nextAt === null ? null : nextAt.getTime() },
    ]),
  );
}

/** `offset 0`: the inputs of a time are computed once, not for each place that uses them. */
function statementOf(name: string, deadlines: string): string {
  return `select '${name}' as step, coalesce(bool_or(d.at <= ${LOOK_TIME_SQL}), false) as is_past,
    min(d.at) filter (where d.at > ${LOOK_TIME_SQL}) as next_at from (select f.at from (${deadlines}) f offset 0) d`;
}
