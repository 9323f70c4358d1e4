/**
 * A change event is committed → a WebSocket has its frame, before and while many old entries are deleted from the
 * change log. Both services prune, as in the product. `npm run bench -- prune [--rows 20000] [--samples 200]
 * [--spacing 20]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { keys } from '@aizuchi/shared/platform/change-log/keys';
import { CHANNEL } from '@aizuchi/shared/platform/change-log/notifier';
import pg from 'pg';
import { type BenchWorld, openBenchWorld } from './support/bench-world.ts';
import { RunFrames } from './support/run-frames.ts';
import { percentiles, row } from './support/statistics.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '20000' },
    /** Samples before the pruning; during the pruning as many as there is time for. */
    samples: { type: 'string', default: '200' },
    /** Milliseconds between two change events. */
    spacing: { type: 'string', default: '20' },
  },
});
const rowCount = Number(options.rows);
const sampleCount = Number(options.samples);
const spacing = Number(options.spacing);
const CHUNK = 250_000;

/** Inserts entries of last week and returns the last one, whose deletion ends the pruning. */
async function fillLog(databaseUrl: string): Promise<{ xid: string; id: number }> {
  // A connection outside the product's pool: a chunk takes longer than the product allows a transaction.
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // Entries must become younger in key order, so the entries of earlier samples are removed.
  await client.query('truncate change_log');
  for (let filled = 0; filled < rowCount; filled += CHUNK)
    await client.query(
      `insert into change_log (project_id, kind, ref, created_at)
      select 'prj_of_last_week', 'message', '{"messageId": "msg_00000000000000000000"}',
        clock_timestamp() - interval '7 days' from generate_series(1, $1::int)`,
      [Math.min(CHUNK, rowCount - filled)],
    );
  const { rows } = await client.query(
    'select xid::text, id from change_log order by change_log.xid desc, id desc limit 1',
  );
  await client.end();
  return rows[0];
}

let facts = 0;
/** Commits a change event and notifies, as the product does; resolves with the delay from the commit to the frame. */
async function delayOf({ database }: BenchWorld, projectId: string, frames: RunFrames): Promise<number> {
  facts += 1;
  const runId = `run_of_the_bench_${facts}`;
  const seen = frames.seen(runId);
  await database.pool.query({
    name: 'fact',
    text: `insert into change_log (project_id, kind, ref) values ($1, 'run', $2)`,
    values: [projectId, JSON.stringify({ runId, agentId: 'agt_bench' })],
  });
  const committedAt = performance.now();
  await database.pool.query({
    name: 'tell',
    text: 'select pg_notify($1, $2)',
    values: [CHANNEL, keys.log(projectId)],
  });
  return (await seen) - committedAt;
}

const world = await openBenchWorld();
try {
  const [agent] = await world.warmAgents(1, 1);
  if (agent === undefined) throw new Error('no agent');
  const { projectId } = agent;
  const follow = async () =>
    RunFrames.follow({ webUrl: world.webUrl, token: await world.signIn(), projectId });

  const quiet = await follow();
  const before: number[] = [];
  for (let sample = -20; sample < sampleCount; sample += 1) {
    const delay = await delayOf(world, projectId, quiet);
    if (sample >= 0) before.push(delay);
    await sleep(spacing);
  }
  quiet.close();

  await world.product.end();
  const fillingAt = performance.now();
  const last = await fillLog(world.databaseUrl);
  const { rows } = await world.database.pool.query(
    `select pg_size_pretty(pg_total_relation_size('change_log')) as size`,
  );
  console.log(
    `${rowCount} old entries, ${rows[0].size}, filled in ${seconds(performance.now() - fillingAt)}`,
  );

  await world.product.startAgain();
  const busy = await follow();
  const startedAt = performance.now();
  const during: number[] = [];
  for (;;) {
    during.push(await delayOf(world, projectId, busy));
    const found = await world.database.pool.query({
      name: 'last',
      text: 'select from change_log where xid = $1::xid8 and id = $2',
      values: [last.xid, last.id],
    });
    if (found.rowCount === 0) break;
    await sleep(spacing);
  }
  const tookMs = performance.now() - startedAt;
  busy.close();
  console.log(row('fact committed → frame, nothing to prune', percentiles(before)));
  console.log(row('fact committed → frame, while pruning', percentiles(during)));
  console.log(`pruned in ${seconds(tookMs)}: ${Math.round(rowCount / (tookMs / 1_000))} entries a second`);
} finally {
  await world.close();
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
