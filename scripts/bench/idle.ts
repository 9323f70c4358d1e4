/**
 * What the product costs while nobody does anything: each process's share of a core, with nothing at all and with
 * sessions that hold get_next_action. `npm run bench -- idle [--seconds 60] [--sessions 1000] [--settle 60]
 * [--statements]` (which statements cost most, and how often they are asked; counting them costs a little itself)
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openBenchWorld } from './support/bench-world.ts';
import { closeSockets, HeldAgent } from './support/held-agent.ts';
import { cpuSeconds, familySeconds, parentOf, postmasterPid, servicePids } from './support/processes.ts';
import { StatementCounts } from './support/statement-counts.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    sessions: { type: 'string', default: '1000' },
    /**
     * Seconds before each window: what a start or an opening leaves to be done is not rest. Postgres plans a statement
     * anew the first five times on each connection, and the sweeper asks its long one every five seconds.
     */
    settle: { type: 'string', default: '60' },
    statements: { type: 'boolean', default: false },
  },
});
const seconds = Number(options.seconds);
const sessions = Number(options.sessions);
const AT_REST_PERCENT = 1;
const HELD_PERCENT = 4;

const world = await openBenchWorld(
  'rest-api,mcp-server,coordinator',
  0,
  options.statements ? StatementCounts.SETTINGS : {},
);
try {
  const counts = options.statements ? await StatementCounts.open(world.databaseUrl) : undefined;
  const services = await servicePids(world);
  const postmaster = await postmasterPid(world);
  const [anyService] = services.values();
  const processes = new Map<string, () => Promise<number>>([
    ['supervisor', async () => cpuSeconds(await parentOf(anyService ?? 0))],
    ...[...services].map(([name, pid]) => [name, () => cpuSeconds(pid)] as const),
    ['Postgres', () => familySeconds(postmaster)],
  ]);

  const rest = await measure('at rest, nobody there', processes, counts);
  const agents = (await world.warmAgents(sessions, 50)).map((agent) => new HeldAgent(agent, world.mcpUrl));
  // Spread over the time that a call is held, as if the agents had come one after the other.
  for (let index = 0; index < agents.length; index += 50) {
    await Promise.all(agents.slice(index, index + 50).map((agent) => agent.hold()));
    await sleep((25_000 * 50) / agents.length);
  }
  const held = await measure(`${sessions} sessions that hold a call`, processes, counts);
  for (const agent of agents) agent.stop();
  console.log(
    `at rest ${rest.toFixed(2)} % of a core (at most ${AT_REST_PERCENT}); ${sessions} held sessions ` +
      `${(held - rest).toFixed(2)} % more (at most ${HELD_PERCENT} with 1000)`,
  );
  await counts?.close();
} finally {
  closeSockets();
  await world.close();
}

/** Percent of a core that all processes together used in the window. */
async function measure(
  title: string,
  processes: ReadonlyMap<string, () => Promise<number>>,
  statements: StatementCounts | undefined,
): Promise<number> {
  await sleep(Number(options.settle) * 1_000);
  await statements?.reset();
  const [transactions, work] = [await transactionsSoFar(), await workSoFar()];
  const before = await readAll(processes);
  const startedAt = performance.now();
  await sleep(seconds * 1_000);
  const after = await readAll(processes);
  const tookSeconds = (performance.now() - startedAt) / 1_000;
  const perSecond = ((await transactionsSoFar()) - transactions) / tookSeconds;
  const turns = (await workSoFar()) - work;

  console.log(`--- ${title}, ${seconds} s`);
  let sum = 0;
  for (const [name, used] of after) {
    const percent = ((used - (before.get(name) ?? 0)) / tookSeconds) * 100;
    sum += percent;
    console.log(`${name.padEnd(16)} ${percent.toFixed(2).padStart(6)} % of a core`);
  }
  console.log(`${'all'.padEnd(16)} ${sum.toFixed(2).padStart(6)} % of a core`);
  console.log(
    `${perSecond.toFixed(1)} transactions a second; ${turns} turns (runs started, messages stored)`,
  );
  for (const line of (await statements?.most(tookSeconds)) ?? []) console.log(line);
  return sum;
}

async function readAll(processes: ReadonlyMap<string, () => Promise<number>>): Promise<Map<string, number>> {
  const used = new Map<string, number>();
  for (const [name, read] of processes) used.set(name, await read());
  return used;
}

/** Nearly every transaction is one statement. */
async function transactionsSoFar(): Promise<number> {
  const { rows } = await world.database.pool.query<{ count: number }>(
    'select sum(xact_commit + xact_rollback)::float8 as count from pg_stat_database',
  );
  return rows[0]?.count ?? Number.NaN;
}

/** Number of runs and messages: it grows if an agent does any work. */
async function workSoFar(): Promise<number> {
  const { rows } = await world.database.pool.query<{ count: number }>(
    'select (select count(*) from agent_runs) + (select count(*) from chat_messages) as count',
  );
  return rows[0]?.count ?? Number.NaN;
}
