/**
 * Durable chat messages a second through REST, 50 clients, each to an agent with a live session. Floor: one plain
 * INSERT behind the same framework (support/floor-server.ts), measured in turn in the same run; for comparison also
 * the SQL rate alone.
 * `npm run bench -- throughput [--seconds 5] [--rounds 3] [--clients 50]`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import pg from 'pg';
import { type BenchWorld, openBenchWorld, type WarmAgent } from './support/bench-world.ts';
import { median } from './support/statistics.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '50' },
  },
});
const seconds = Number(options.seconds);
const rounds = Number(options.rounds);
const clients = Number(options.clients);
const warmSeconds = Math.max(seconds, 6);
const CONTENT = 'タスクの進捗を教えてください。 How are the tasks going?';

const world = await openBenchWorld();
const floor = fork(new URL('support/floor-server.ts', import.meta.url), {
  env: { ...process.env, DATABASE_URL: world.databaseUrl },
});
try {
  const [{ url: floorUrl }] = await once(floor, 'message');
  const agents = await world.warmAgents(100, 10);
  // Warm-up: the first seconds would measure the JIT compiler.
  await load(world, floorUrl, agents, warmSeconds);
  await load(world, world.webUrl, agents, warmSeconds);
  const results = { product: [] as number[], floor: [] as number[], sql: [] as number[] };
  for (let round = 1; round <= rounds; round += 1) {
    results.floor.push(await load(world, floorUrl, agents, seconds));
    results.product.push(await load(world, world.webUrl, agents, seconds));
    results.sql.push(await bareSql(world.databaseUrl));
    console.log(
      `round ${round}: ${JSON.stringify({ floor: results.floor.at(-1), product: results.product.at(-1), sql: results.sql.at(-1) })}`,
    );
  }
  const ratios = results.product.map((rate, index) => rate / (results.floor[index] ?? Number.NaN));
  console.log(
    `product  ${median(results.product).toFixed(0)} messages/s (median of ${rounds} rounds of ${seconds} s, ${clients} clients)`,
  );
  console.log(
    `floor    ${median(results.floor).toFixed(0)} requests/s: one bare INSERT behind the same route`,
  );
  console.log(`sql      ${median(results.sql).toFixed(0)} bare INSERTs/s, ${clients} connections`);
  console.log(`ratio    ${(100 * median(ratios)).toFixed(0)} % of the floor (at least 50 %, aim 75 %)`);
  await checkStored(world, agents);
} finally {
  floor.disconnect();
  await world.close();
}

/** Requests a second that were answered with 201. Any other status ends the benchmark. */
async function load(
  bench: BenchWorld,
  url: string,
  agents: readonly WarmAgent[],
  duration: number,
): Promise<number> {
  const requests = agents.map(({ projectId, agentId }) => ({
    method: 'POST' as const,
    path: `/api/projects/${projectId}/agents/${agentId}/chat/messages`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bench.ownerToken}` },
    body: JSON.stringify({ content: CONTENT }),
  }));
  let nextClient = 0;
  const result = await autocannon({
    url,
    connections: clients,
    duration,
    // Each client begins with another agent: otherwise all clients would wait for the row of the same thread.
    setupClient: (client) => {
      const start = (nextClient++ * Math.ceil(requests.length / clients)) % requests.length;
      client.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
    },
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers other than 2xx, ${result.errors} errors`);
  return result.requests.total / result.duration;
}

async function bareSql(url: string): Promise<number> {
  const connections = await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );
  const startedAt = performance.now();
  const end = startedAt + seconds * 1_000;
  let count = 0;
  await Promise.all(
    connections.map(async (client, index) => {
      while (performance.now() < end) {
        await client.query({
          name: 'bare',
          text: `insert into bench_floor (id, thread, content) values (gen_random_uuid()::text, $1, $2)`,
          values: [String(index), CONTENT],
        });
        count += 1;
      }
    }),
  );
  const rate = count / ((performance.now() - startedAt) / 1_000);
  await Promise.all(connections.map((client) => client.end()));
  return rate;
}

/** Checks that every acknowledged message is stored, without gaps. */
async function checkStored(bench: BenchWorld, agents: readonly WarmAgent[]): Promise<void> {
  const { rows } = await bench.database.pool.query<{ threads: number; wrong: number; messages: number }>(
    `select count(*)::int as threads, sum(last_seq)::int as messages,
       count(*) filter (where last_seq <> (select count(*) from chat_messages m where m.thread_id = t.id))::int as wrong
     from chat_threads t where id = any($1)`,
    [agents.map((agent) => `${agent.projectId}/${agent.agentId}`)],
  );
  console.log(
    `stored   ${rows[0]?.messages} messages in ${rows[0]?.threads} threads, ${rows[0]?.wrong} threads with gaps`,
  );
}
