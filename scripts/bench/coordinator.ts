/**
 * What a Coordinator costs the mcp-server and Postgres beside many agents that have nothing to do: 200 and 10,000 (agent,
 * project) pairs, 10 of them with work in turn. A task is moved to in_progress by a person's PATCH; the Coordinator of
 * the benchmark holds wait_for_agent_actions, and takes the start by get_agent_action. Then the same rest as before, and
 * the CPU that it costs. `npm run bench -- coordinator [--pairs 200,10000] [--samples 100] [--seconds 20]`
 */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BenchWorld, openBenchWorld } from './support/bench-world.ts';
import { callTool } from './support/mcp-call.ts';
import { cpuSeconds, familySeconds, pidOf, postmasterPid } from './support/processes.ts';
import { percentiles, row } from './support/statistics.ts';

const { values: options } = parseArgs({
  options: {
    pairs: { type: 'string', default: '200,10000' },
    samples: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
  },
});
const WITH_WORK = 10;
const AGENTS_PER_PROJECT = 200;
const TOKEN = randomUUID();

async function measure(pairs: number): Promise<void> {
  const world = await openBenchWorld('rest-api,mcp-server', 0, {}, { MCP_COORDINATOR_TOKEN: TOKEN });
  try {
    await fill(world, pairs);
    const coordinator = new WaitingCoordinator(world.mcpUrl);
    await coordinator.look();
    console.log(`${pairs} pairs, ${WITH_WORK} with work`);
    await measureRest(world, coordinator);
    await measureStarts(world, coordinator);
  } finally {
    await world.close();
  }
}

/** Projects of 200 agents, written by SQL; each of the first ten agents has a task in todo for each sample. */
async function fill(world: BenchWorld, pairs: number): Promise<void> {
  const samples = Number(options.samples);
  const root = world.product.environment.AIZUCHI_WORKSPACE_ROOTS ?? '';
  const query = (text: string, values: unknown[]) => world.database.pool.query(text, values);
  await query(
    `insert into projects (id, name, working_directory)
     select 'prj_bench_' || n, 'Bench', $2 || '/prj_bench_' || n from generate_series(1, $1) n`,
    [Math.ceil(pairs / AGENTS_PER_PROJECT), root],
  );
  await query(
    `insert into agents (id, type, name, provider, max_parallel_tasks)
     select 'agt_bench_' || n, 'ai', 'Agent ' || n, 'builtin', 100000 from generate_series(1, $1) n`,
    [pairs],
  );
  await query(
    `insert into agent_credentials (agent_id, passkey_hash)
     select 'agt_bench_' || n, 'none' from generate_series(1, $1) n`,
    [WITH_WORK],
  );
  const project = `'prj_bench_' || (1 + (n - 1) / ${AGENTS_PER_PROJECT})`;
  await query(
    `insert into project_agents (project_id, agent_id) select ${project}, 'agt_bench_' || n from generate_series(1, $1) n`,
    [pairs],
  );
  await query(
    `insert into chat_threads (id, project_id, agent_id)
     select ${project} || '/agt_bench_' || n, ${project}, 'agt_bench_' || n from generate_series(1, $1) n`,
    [pairs],
  );
  await query(
    `insert into tasks (id, project_id, title, status, assignee_id)
     select 'tsk_bench_' || s, 'prj_bench_1', 'Task', 'todo', 'agt_bench_' || (1 + s % $2) from generate_series(1, $1) s`,
    [samples, WITH_WORK],
  );
  await query('analyze', []);
}

/** A Coordinator as the mcp-server sees it: it waits, asks, and starts nothing. */
class WaitingCoordinator {
  readonly #url: string;
  readonly #agent = new http.Agent({ keepAlive: true });
  #running: string[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  look(): Promise<{ result: Record<string, unknown>; at: number }> {
    const host = { coordinator_id: 'bench', host: 'bench', boot_id: 'bench', capacity: 10_000 };
    const seen = { ...host, running: this.#running, labels: [], roots: [], hold_seconds: 5 };
    return callTool(this.#agent, this.#url, TOKEN, 'wait_for_agent_actions', seen);
  }

  /** Asks for a pair until nothing is left to start. Returns how many were started. */
  async take(pair: { agent_id: string; project_id: string }): Promise<number> {
    for (let count = 0; ; count += 1) {
      const args = { ...pair, coordinator_id: 'bench' };
      const { result } = await callTool(this.#agent, this.#url, TOKEN, 'get_agent_action', args);
      if (result.action !== 'start') return count;
      this.#running = [...this.#running, String(result.run_id)].slice(-1_000);
    }
  }
}

async function measureRest(world: BenchWorld, coordinator: WaitingCoordinator): Promise<void> {
  await sleep(5_000);
  const seconds = Number(options.seconds);
  const until = performance.now() + seconds * 1_000;
  const before = await costs(world);
  while (performance.now() < until) await coordinator.look();
  const after = await costs(world);
  for (const [name, used] of Object.entries(after)) {
    const share = ((used - (before[name] ?? 0)) / seconds) * 100;
    console.log(`  at rest, ${name.padEnd(10)} ${share.toFixed(2)} % of a core`);
  }
}

async function measureStarts(world: BenchWorld, coordinator: WaitingCoordinator): Promise<void> {
  const samples = Number(options.samples);
  const named: number[] = [];
  const taken: number[] = [];
  const before = await costs(world);
  for (let sample = 1; sample <= samples; sample += 1) {
    const waiting = coordinator.look();
    await sleep(20);
    const beganAt = performance.now();
    await begin(world, `tsk_bench_${sample}`);
    const { result, at } = await waiting;
    const pairs = Array.isArray(result.pairs) ? result.pairs : [];
    let starts = 0;
    for (const pair of pairs) starts += await coordinator.take(pair);
    if (starts !== 1) throw new Error(`${starts} starts for one task: ${JSON.stringify(result)}`);
    named.push(at - beganAt);
    taken.push(performance.now() - beganAt);
  }
  const after = await costs(world);
  console.log(row('  move of a task → the Coordinator is told', percentiles(named)));
  console.log(row('  move of a task → the start is taken', percentiles(taken)));
  for (const [name, used] of Object.entries(after)) {
    const each = ((used - (before[name] ?? 0)) / samples) * 1_000;
    console.log(`  a start, ${name.padEnd(10)} ${each.toFixed(2)} ms of CPU`);
  }
}

async function begin(world: BenchWorld, taskId: string): Promise<void> {
  const response = await fetch(`${world.webUrl}/api/tasks/${taskId}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${world.ownerToken}` },
    body: JSON.stringify({ version: 1, status: 'in_progress' }),
  });
  if (!response.ok) throw new Error(`the move failed: ${response.status} ${await response.text()}`);
}

async function costs(world: BenchWorld): Promise<Record<string, number>> {
  return {
    'mcp-server': await cpuSeconds(await pidOf(world, 'mcp-server')),
    'rest-api': await cpuSeconds(await pidOf(world, 'rest-api')),
    postgres: await familySeconds(await postmasterPid(world)),
  };
}

for (const pairs of options.pairs.split(',').map(Number)) await measure(pairs);
