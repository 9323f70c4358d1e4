/**
 * An installation that has been in use: 2,000 agents, 50 projects, 10,000 memberships, 1,000,000 messages, written by
 * SQL. Measures every read of the page over HTTP against the real rest-api, in turn, as the owner and as a member of
 * five projects (P: one project, C: the chat of 10,000 messages with an agent of it); then the CPU use of an idle
 * product (with the sweepers of rest-api and mcp-server); then a restart.
 * `npm run bench -- scale [--samples 100] [--quiet-seconds 20] [--small]`
 */
import { parseArgs } from 'node:util';
import { newId, newSecret } from '@aizuchi/shared/platform/ids';
import { hashToken } from '@aizuchi/shared/platform/token-hash';
import { FULL_SCALE, fillToScale, SMALL_SCALE } from '../../packages/shared/src/testing/scale-fill.ts';
import { type BenchWorld, openBenchWorld } from './support/bench-world.ts';
import { cpuSecondsOf } from './support/cpu-seconds.ts';
import { percentiles, row } from './support/statistics.ts';

const { values: options } = parseArgs({
  options: {
    samples: { type: 'string', default: '100' },
    'quiet-seconds': { type: 'string', default: '20' },
    small: { type: 'boolean', default: false },
  },
});
const sizes = options.small ? SMALL_SCALE : FULL_SCALE;
const MAX_READ_MS = 50;
/** The floor: a request that only checks the token. */
const FLOOR = '/auth/me (owner)';
const OWNER_ONLY = ['/settings'];
const PROJECT = 'prj_scale_1';
const MEMBER = 'hum_scale_1';

const world = await openBenchWorld();
try {
  await fill(world);
  await measureReads(world);
  await measureRest(world, Number(options['quiet-seconds']));
  await measureRestart(world);
} finally {
  await world.close();
}

async function fill(bench: BenchWorld): Promise<void> {
  const startedAt = performance.now();
  await fillToScale(bench.databaseUrl, sizes, bench.product.environment.AIZUCHI_WORKSPACE_ROOTS ?? '');
  const { rows } = await bench.database.pool.query<Record<string, number>>(`select
    (select count(*)::int from agents where type = 'ai') as agents, (select count(*)::int from projects) as projects,
    (select count(*)::int from chat_threads where conversation_id is null) as memberships,
    (select count(*)::int from chat_messages) as messages, (select count(*)::int from read_marks) as marks,
    (select count(*)::int from tasks) as tasks, (select count(*)::int from agent_runs) as runs`);
  console.log(
    `filled in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s: ${JSON.stringify(rows[0])}`,
  );
}

/** In turn, so that a busy moment of the machine affects all of them. */
async function measureReads(bench: BenchWorld): Promise<void> {
  const paths = await pathsOfPage(bench);
  const callers = { owner: bench.ownerToken, member: await tokenOf(bench, MEMBER) };
  const reads = paths.flatMap((path) =>
    Object.entries(callers)
      .filter(([caller]) => caller === 'owner' || !OWNER_ONLY.includes(path))
      .map(([caller, token]) => ({ name: `${shortName(path)} (${caller})`, path, token })),
  );
  const samples = new Map(reads.map(({ name }) => [name, [] as number[]]));
  const warmUps = 3;
  for (let round = -warmUps; round < Number(options.samples); round += 1)
    for (const { name, path, token } of reads) {
      const tookMs = await timed(`${bench.webUrl}/api${path}`, token);
      if (round >= 0) samples.get(name)?.push(tookMs);
    }
  const results = [...samples].map(([name, times]) => ({ name, figures: percentiles(times) }));
  for (const { name, figures } of results) console.log(row(name, figures));
  const slowest = results.toSorted((a, b) => b.figures.p95 - a.figures.p95)[0];
  const floor = results.find(({ name }) => name === FLOOR);
  console.log(
    `slowest p95 ${slowest?.figures.p95.toFixed(1)} ms, ${slowest?.name} (each read at most ${MAX_READ_MS} ms); ` +
      `floor, a read of one row: p50 ${floor?.figures.p50.toFixed(1)} ms, p95 ${floor?.figures.p95.toFixed(1)} ms`,
  );
  if (slowest && slowest.figures.p95 > MAX_READ_MS) process.exitCode = 1;
}

function shortName(path: string): string {
  return path
    .replace(`/projects/${PROJECT}`, 'P')
    .replace(/P\/agents\/[^/]+\/chat/, 'C')
    .replace(/before=.*/, 'before=…');
}

async function timed(url: string, token: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const body = await response.text();
  const tookMs = performance.now() - startedAt;
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${body.slice(0, 300)}`);
  return tookMs;
}

/** The paths of a project that both callers see; its first chat is a long one. */
async function pathsOfPage({ database }: BenchWorld): Promise<string[]> {
  const first = async (text: string) => {
    const { rows } = await database.pool.query<{ id: string }>(text, [PROJECT]);
    const [found] = rows;
    if (!found) throw new Error(`nothing found by: ${text}`);
    return found.id;
  };
  await database.pool.query('insert into project_agents values ($1, $2) on conflict do nothing', [
    PROJECT,
    MEMBER,
  ]);
  const agent = await first(
    'select agent_id as id from chat_threads where project_id = $1 order by last_seq desc limit 1',
  );
  const [conversation, task, run] = await Promise.all([
    first('select id from conversations where project_id = $1 order by id limit 1'),
    first('select id from tasks where project_id = $1 order by id limit 1'),
    first('select id from agent_runs where project_id = $1 order by id limit 1'),
  ]);
  const { rows } = await database.pool.query<{ id: string }>(
    'select id from chat_messages where thread_id = $1 order by seq offset 2000 limit 1',
    [`${PROJECT}/${agent}`],
  );
  const project = `/projects/${PROJECT}`;
  const chat = `${project}/agents/${agent}/chat`;
  return [
    '/inbox',
    '/inbox/put-away?limit=50',
    `${project}/unread-counts`,
    `${project}/agent-sessions`,
    '/projects?limit=200',
    project,
    `${project}/agents?limit=200`,
    '/agents?limit=200',
    `/agents/${agent}`,
    `${chat}/messages?limit=50`,
    `${chat}/messages?limit=200&before=${rows[0]?.id}`,
    `${chat}/messages?limit=50&includeConversations=true`,
    `${project}/conversations?limit=50`,
    `/conversations/${conversation}`,
    `/conversations/${conversation}/messages?limit=50`,
    `${project}/runs?limit=50`,
    `/runs/${run}`,
    `${project}/questions?limit=50`,
    `${project}/questions?status=pending`,
    `${project}/pending-purposes?includeRecent=60`,
    '/coordinators',
    `${project}/tasks?limit=200`,
    `${project}/tasks?limit=200&board=true`,
    `/tasks/${task}`,
    `${project}/schedules?limit=200`,
    '/settings',
    '/auth/me',
    '/auth/tokens',
  ];
}

/** Written directly into the table: a sign-in would measure scrypt. */
async function tokenOf({ database }: BenchWorld, agentId: string): Promise<string> {
  const token = newSecret();
  await database.db
    .insertInto('accessTokens')
    .values({ id: newId('tok'), agentId, kind: 'api', name: 'bench', tokenHash: hashToken(token) })
    .execute();
  return token;
}

/** CPU time as the processes report it; for Postgres the time in which it ran statements. */
async function measureRest(bench: BenchWorld, seconds: number): Promise<void> {
  const services = { 'rest-api': bench.webUrl, 'mcp-server': bench.mcpUrl.replace(/\/mcp$/, '') };
  const look = async () => ({
    at: performance.now(),
    cpu: await Promise.all(Object.values(services).map(cpuSecondsOf)),
    postgresMs: await statementMs(bench),
  });
  const before = await look();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  const after = await look();
  const elapsed = (after.at - before.at) / 1_000;
  const percent = (used: number) => `${((100 * used) / elapsed).toFixed(2)} %`;
  const each = Object.keys(services).map(
    (name, index) => `${name} ${percent((after.cpu[index] ?? 0) - (before.cpu[index] ?? 0))}`,
  );
  console.log(
    `at rest, of a core in ${elapsed.toFixed(0)} s: ${each.join(', ')}; statements in Postgres ` +
      `${percent((after.postgresMs - before.postgresMs) / 1_000)} (two processes with a sweeper)`,
  );
}

async function statementMs({ database }: BenchWorld): Promise<number> {
  const { rows } = await database.pool.query<{ ms: number }>(
    'select active_time as ms from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.ms ?? Number.NaN;
}

async function measureRestart(bench: BenchWorld): Promise<void> {
  const { tookMs } = await bench.product.end();
  const startedAt = performance.now();
  await bench.product.startAgain();
  const readyMs = performance.now() - startedAt;
  const { webUrl, ownerToken } = bench;
  const firstMs = await timed(`${webUrl}/api/inbox`, ownerToken);
  console.log(
    `restart: ended in ${(tookMs / 1_000).toFixed(2)} s, ready after ${(readyMs / 1_000).toFixed(2)} s, ` +
      `then the first inbox after ${firstMs.toFixed(0)} ms`,
  );
}
