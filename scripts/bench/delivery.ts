/**
 * A person's POST → the agent's held get_next_action returns. Floor in the same run: one row inserted and a NOTIFY
 * round trip on the same Postgres. `npm run bench -- delivery [--sessions 100] [--samples 1000] [--spacing 5]`
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openBenchWorld } from './support/bench-world.ts';
import { closeSockets, HeldAgent, postMessage } from './support/held-agent.ts';
import { openNotifyFloor } from './support/notify-floor.ts';
import { pidOf } from './support/processes.ts';
import { percentiles, row } from './support/statistics.ts';

const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string', default: '100' },
    samples: { type: 'string', default: '1000' },
    /** Milliseconds between two messages. */
    spacing: { type: 'string', default: '5' },
  },
});
const sessionCount = Number(options.sessions);
const sampleCount = Number(options.samples);
const spacing = Number(options.spacing);

const world = await openBenchWorld();
try {
  const mcpPid = await pidOf(world, 'mcp-server');
  const before = await memoryOf(mcpPid);
  const agents = (await world.warmAgents(sessionCount, 50)).map(
    (agent) => new HeldAgent(agent, world.mcpUrl),
  );
  const openedAt = performance.now();
  for (let index = 0; index < agents.length; index += 100)
    await Promise.all(agents.slice(index, index + 100).map((agent) => agent.hold()));
  console.log(
    `${agents.length} held calls open after ${((performance.now() - openedAt) / 1_000).toFixed(2)} s`,
  );
  await sleep(500);
  const perCall = (await memoryOf(mcpPid)) - before;
  console.log(
    `memory of mcp-server: ${(perCall / 1_024 / agents.length).toFixed(1)} kB a held call (at most 40 kB with 5000)`,
  );
  const floor = await openNotifyFloor(world.databaseUrl);
  const posted: number[] = [];
  const delivered: number[] = [];
  const floors: number[] = [];
  for (let sample = -50; sample < sampleCount; sample += 1) {
    const agent = agents[(sample + 50) % agents.length];
    if (agent === undefined) throw new Error('no agents');
    const floorMs = await floor.roundTrip();
    const returned = agent.returned();
    const startedAt = performance.now();
    await postMessage(world, agent.agent);
    const answeredAt = performance.now();
    const at = await returned;
    if (sample >= 0) {
      floors.push(floorMs);
      posted.push(answeredAt - startedAt);
      delivered.push(at - startedAt);
    }
    await sleep(spacing);
  }
  const result = percentiles(delivered);
  const base = percentiles(floors);
  console.log(row('floor: INSERT + NOTIFY round trip', base));
  console.log(row('POST answered', percentiles(posted)));
  console.log(row('POST → held get_next_action returned', result));
  console.log(
    `ratio p50 ${(result.p50 / base.p50).toFixed(2)} × floor (at most 4, aim 2); p99 ${result.p99.toFixed(1)} ms (at most ${sessionCount >= 1_000 ? '150, aim 50' : '40, aim 15'})`,
  );
  for (const agent of agents) agent.stop();
  await floor.close();
} finally {
  closeSockets();
  await world.close();
}

/** Resident memory in bytes, as the system reports it. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024;
}
