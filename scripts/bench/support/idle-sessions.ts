import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchWorld, openBenchWorld } from './bench-world.ts';
import { closeSockets, HeldAgent } from './held-agent.ts';
import { cpuSeconds, familySeconds, parentOf, postmasterPid, servicePids } from './processes.ts';
import { StatementCounts } from './statement-counts.ts';

const AT_REST_PERCENT = 1;
const HELD_PERCENT = 4;

export interface IdleSessionsOptions {
  readonly sessions: number;
  readonly seconds: number;
  readonly settleSeconds: number;
  readonly withStatements: boolean;
}

interface Window {
  readonly world: BenchWorld;
  readonly seconds: number;
  readonly settleSeconds: number;
  /** Seconds of CPU that each has used so far. */
  readonly processes: ReadonlyMap<string, () => Promise<number>>;
  readonly statements: StatementCounts | undefined;
}

/** The CPU of the product with nobody there, and with sessions that hold get_next_action. */
export async function measureIdleSessions(options: IdleSessionsOptions): Promise<void> {
  const { sessions, seconds, settleSeconds, withStatements } = options;
  const settings = withStatements ? StatementCounts.SETTINGS : {};
  const world = await openBenchWorld('rest-api,mcp-server,coordinator,memory', 0, settings);
  try {
    const counts = withStatements ? await StatementCounts.open(world.databaseUrl) : undefined;
    const services = await servicePids(world);
    const postmaster = await postmasterPid(world);
    const [anyService] = services.values();
    const processes = new Map<string, () => Promise<number>>([
      ['supervisor', async () => cpuSeconds(await parentOf(anyService ?? 0))],
      ...[...services].map(([name, pid]) => [name, () => cpuSeconds(pid)] as const),
      ['Postgres', () => familySeconds(postmaster)],
    ]);

    const window = { world, seconds, settleSeconds, processes, statements: counts };
    const rest = await measure('at rest, nobody there', window);
    const agents = (await world.warmAgents(sessions, 50)).map((agent) => new HeldAgent(agent, world.mcpUrl));
    // Spread over the time that a call is held, as if the agents had come one after the other.
    for (let index = 0; index < agents.length; index += 50) {
      await Promise.all(agents.slice(index, index + 50).map((agent) => agent.hold()));
      await sleep((25_000 * 50) / agents.length);
    }
    const held = await measure(`${sessions} sessions that hold a call`, window);
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
}

/** Percent of a core that all processes together used in the window. */
async function measure(
  title: string,
  { world, seconds, settleSeconds, processes, statements }: Window,
): Promise<number> {
  await sleep(settleSeconds * 1_000);
  await statements?.reset();
  const [transactions, work] = [await transactionsSoFar(world), await workSoFar(world)];
  const before = await readAll(processes);
  const startedAt = performance.now();
  await sleep(seconds * 1_000);
  const after = await readAll(processes);
  const tookSeconds = (performance.now() - startedAt) / 1_000;
  const perSecond = ((await transactionsSoFar(world)) - transactions) / tookSeconds;
  const turns = (await workSoFar(world)) - work;

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
async function transactionsSoFar({ database }: BenchWorld): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    'select sum(xact_commit + xact_rollback)::float8 as count from pg_stat_database',
  );
  return rows[0]?.count ?? Number.NaN;
}

/** Number of runs and messages: it grows if an agent does any work. */
async function workSoFar({ database }: BenchWorld): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    'select (select count(*) from agent_runs) + (select count(*) from chat_messages) as count',
  );
  return rows[0]?.count ?? Number.NaN;
}
