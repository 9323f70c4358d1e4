import pg from 'pg';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../platform/db/database.ts';
import { LONG_TIMEOUT_MS } from './timeouts.ts';

/** One statement as Postgres has really run it: from which tables it read how many rows, and by what. */
export interface RecordedPlan {
  readonly query: string;
  readonly reads: readonly TableRead[];
}

export interface TableRead {
  readonly table: string;
  /** The index (`ctid`: the row's own place), or null: the table was read from its beginning to its end. */
  readonly index: string | null;
  /** Returned or thrown away by a filter, in all repetitions. */
  readonly rows: number;
}

export interface PlanRecorder {
  readonly database: Database;
  /** The plans of every statement that `work` runs through `database`. */
  plansOf(work: () => Promise<unknown>): Promise<readonly RecordedPlan[]>;
  close(): Promise<void>;
}

/**
 * A further connection to a test's database whose statements tell their plans (auto_explain): what is judged is the
 * statement that the product ran, with its parameters, not a copy of it.
 */
export async function openPlanRecorder(
  url: string,
  clock: Clock,
  options: Pick<DatabaseOptions, 'avoidTableScans'> = {},
): Promise<PlanRecorder> {
  const name = new URL(url).pathname.slice(1);
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  for (const [setting, value] of Object.entries(SETTINGS))
    await admin.query(`alter database ${admin.escapeIdentifier(name)} set ${setting} = '${value}'`);
  await admin.end();
  const database = openDatabase({
    url,
    clock,
    maxConnections: 4,
    transactionTimeoutMs: LONG_TIMEOUT_MS,
    ...options,
  });
  let plans: RecordedPlan[] = [];
  database.pool.on('connect', (client) =>
    client.on('notice', ({ message }) => {
      const [, plan] = /^duration: .* plan:\n([\s\S]*)$/.exec(message ?? '') ?? [];
      if (plan !== undefined) plans.push(toPlan(JSON.parse(plan)));
    }),
  );
  return {
    database,
    async plansOf(work) {
      plans = [];
      await work();
      return plans;
    },
    close: () => database.close(),
  };
}

const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  client_min_messages: 'log',
};

const nodeSchema = z.object({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Index Name': z.string().optional(),
  'Actual Rows': z.number().default(0),
  'Actual Loops': z.number().default(0),
  'Rows Removed by Filter': z.number().default(0),
  'Rows Removed by Index Recheck': z.number().default(0),
  get Plans() {
    return z.array(nodeSchema).default([]);
  },
});
type PlanNode = z.infer<typeof nodeSchema>;
const planSchema = z.object({ 'Query Text': z.string(), Plan: nodeSchema });

function toPlan(json: unknown): RecordedPlan {
  const plan = planSchema.parse(json);
  return { query: plan['Query Text'], reads: readsOf(plan.Plan) };
}

/** Postgres gives means of all repetitions. */
function readsOf(node: PlanNode): TableRead[] {
  const table = node['Relation Name'];
  const isRead = table !== undefined && node['Node Type'].includes('Scan') && node['Actual Loops'] > 0;
  const each = node['Actual Rows'] + node['Rows Removed by Filter'] + node['Rows Removed by Index Recheck'];
  const read = {
    table: table ?? '',
    index: node['Index Name'] ?? indexBelow(node),
    rows: Math.round(each * node['Actual Loops']),
  };
  return [...(isRead ? [read] : []), ...node.Plans.flatMap(readsOf)];
}

/** A bitmap's index stands in the node below. */
function indexBelow(node: PlanNode): string | null {
  if (node['Node Type'].startsWith('Tid')) return 'ctid';
  if (!node['Node Type'].startsWith('Bitmap Heap')) return null;
  return node.Plans[0]?.['Index Name'] ?? node.Plans[0]?.Plans[0]?.['Index Name'] ?? null;
}
