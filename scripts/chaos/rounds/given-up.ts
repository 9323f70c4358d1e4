import { until } from '../../../tests/e2e/start/product-process.ts';
import type { ChaosWorld } from '../chaos-world.ts';

const BEATS_WITHIN_MS = 60_000;

/** Runs and Coordinators that were given up because of silence, each with its cause. */
export async function givenUpRuns(world: ChaosWorld): Promise<string[]> {
  const rows = await world.rows<{ what: string }>(
    `select id || ' ' || exit_cause as what from agent_runs where exit_cause in ('lost', 'stalled')
     union all select id || ' lost' from coordinators where lost_at is not null`,
  );
  return rows.map(({ what }) => what);
}

/** Resolves when every Coordinator has sent a beat after this moment: earlier silence cannot count any more. */
export async function untilAllBeat(world: ChaosWorld): Promise<void> {
  const [row] = await world.rows<{ now: Date }>('select clock_timestamp() as now');
  await until(async () => {
    const silent = await world.rows('select from coordinators where last_seen_at <= $1', [row?.now]);
    return silent.length === 0;
  }, BEATS_WITHIN_MS);
}
