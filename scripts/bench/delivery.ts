/**
 * A person's POST → the agent's held get_next_action returns. Floor in the same run: one row inserted and a NOTIFY
 * round trip on the same Postgres. `npm run bench -- delivery [--sessions 100] [--samples 1000] [--spacing 5]`
 */
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BenchWorld, openBenchWorld, type WarmAgent } from './support/bench-world.ts';
import { callTool } from './support/mcp-call.ts';
import { openNotifyFloor } from './support/notify-floor.ts';
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

/** Waiting for its answer is one socket each: no pool limit. */
const sockets = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const people = new http.Agent({ keepAlive: true, maxSockets: 50 });

/** An agent as the server sees one: holds, takes, answers, holds again. */
class HeldAgent {
  readonly agent: WarmAgent;
  readonly #url: string;
  #stopped = false;
  #returned: (at: number) => void = () => undefined;

  constructor(agent: WarmAgent, url: string) {
    this.agent = agent;
    this.#url = url;
  }

  /** Resolves when the call is open on the server (its first bytes are here). */
  async hold(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#loop(resolve).catch(reject);
    });
  }

  /** The moment at which the held call comes back with a message. */
  returned(): Promise<number> {
    return new Promise((resolve) => {
      this.#returned = resolve;
    });
  }

  stop(): void {
    this.#stopped = true;
  }

  async #loop(onOpen: () => void): Promise<void> {
    const { sessionToken } = this.agent;
    while (!this.#stopped) {
      const { result, at } = await callTool(
        sockets,
        this.#url,
        sessionToken,
        'get_next_action',
        { hold_seconds: 25 },
        onOpen,
      );
      if (result.action !== 'get_pending_messages') continue;
      this.#returned(at);
      await callTool(sockets, this.#url, sessionToken, 'get_pending_messages', {});
      await callTool(sockets, this.#url, sessionToken, 'respond_chat', { content: 'ok' });
    }
  }
}

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
    await post(world, agent.agent);
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
  sockets.destroy();
  people.destroy();
  await world.close();
}

function post(bench: BenchWorld, agent: WarmAgent): Promise<void> {
  const body = JSON.stringify({ content: 'タスクの進捗を教えてください' });
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${bench.webUrl}/api/projects/${agent.projectId}/agents/${agent.agentId}/chat/messages`,
      {
        method: 'POST',
        agent: people,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          authorization: `Bearer ${bench.ownerToken}`,
        },
      },
      (response) => {
        response.resume();
        response.on('end', () =>
          response.statusCode === 201 ? resolve() : reject(new Error(`POST answered ${response.statusCode}`)),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

async function pidOf(bench: BenchWorld, service: string): Promise<number> {
  const file = `${bench.product.environment.AIZUCHI_HOME}/run/services.json`;
  const services: { name: string; pid: number }[] = JSON.parse(await readFile(file, 'utf8'));
  const entry = services.find((one) => one.name === service);
  if (!entry) throw new Error(`${service} does not run`);
  return entry.pid;
}

/** Resident bytes, as the system counts them. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024;
}
