/**
 * What a memory finds without a model, and how fast: recall of evidence on the half of the questions that nothing was
 * tuned on; import; recall in 10,000 events of one agent; with `--events 1000000` the same with so many events of a
 * hundred agents in the database, which takes about six minutes. Floor: a row read by its key and a row written.
 * `npm run bench -- memory [--events 10000] [--samples 300] [--missed] [--only recall]`
 * `--vectors 10000,100000` times only the exact search among so many vectors of one agent.
 */
import { parseArgs } from 'node:util';
import { MemoryRetrieval } from '@aizuchi/shared/core/memory/retrieval/memory-retrieval';
import { systemClock } from '@aizuchi/shared/platform/clock';
import { type Database, openDatabase } from '@aizuchi/shared/platform/db/database';
import { migrate } from '@aizuchi/shared/platform/db/migrate';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { startThrowawayPostgres } from '../postgres/throwaway-postgres.ts';
import { LANGUAGES, readConversation } from './memory/conversation.ts';
import { evaluate, type KindResult } from './memory/evaluate.ts';
import { addAgent, copyMemory, madeTurns, storeTurns } from './memory/fill.ts';
import { growAll, scriptedGrower } from './memory/grown.ts';
import { measureService } from './memory/service.ts';
import { measureVectors } from './memory/vectors.ts';
import { percentiles, row } from './support/statistics.ts';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    samples: { type: 'string', default: '300' },
    /** Prints the questions whose evidence was not found. */
    missed: { type: 'boolean', default: false },
    vectors: { type: 'string', default: '' },
    /** `recall`: nothing is timed. */
    only: { type: 'string', default: '' },
  },
});
const OF_ONE_AGENT = 10_000;
const AGENT = 'agt_bench';
const WARM_UPS = 20;

const postgres = await startThrowawayPostgres({ durable: true });
try {
  await migrate(postgres.adminUrl);
  const database = openDatabase({ url: postgres.adminUrl, transactionTimeoutMs: 0, avoidTableScans: true });
  if (options.vectors === '') await measureWords(database);
  for (const count of options.vectors.split(',').filter(Boolean))
    await measureVectors(database, Number(count), Number(options.samples));
  await database.close();
} finally {
  await postgres.stop();
}

async function measureWords(database: Database): Promise<void> {
  const logger = createLogger('bench', { level: 'warn' });
  const memory = new MemoryRetrieval({ database, clock: systemClock, logger });
  await measureRecall(database, memory);
  if (options.only === 'recall') return;
  await measureImport(database);
  await database.pool.query('create table bench_floor (id int primary key, body text)');
  await measureSpeed(database, memory, [AGENT], `${OF_ONE_AGENT} events of one agent`);
  const copies = Math.round(Number(options.events) / OF_ONE_AGENT) - 1;
  if (copies > 0) {
    const others = Array.from({ length: copies }, (_, index) => `${AGENT}_${index}`);
    const startedAt = performance.now();
    await copyMemory(database, AGENT, others);
    console.log(`filled to ${options.events} events in ${seconds(performance.now() - startedAt)}`);
    await measureSpeed(
      database,
      memory,
      [AGENT, ...others],
      `${options.events} events of ${copies + 1} agents`,
    );
  }
  const calls = await database.pool.query(
    `select count(*)::int as runs, count(*) filter (where plan_source = 'model' or selected_source = 'model')::int as calls
     from retrieval_runs`,
  );
  console.log(`model calls in ${calls.rows[0].runs} retrievals: ${calls.rows[0].calls}`);
}

async function measureRecall(database: Database, memory: MemoryRetrieval): Promise<void> {
  for (const language of LANGUAGES) {
    const { turns, tuning, reported } = readConversation(language);
    const agentId = `agt_${language}`;
    await addAgent(database, agentId);
    await storeTurns(database, agentId, turns);
    const report = async (grown: string, id: string) => {
      for (const [half, questions] of Object.entries({ tuning, reported })) {
        const { kinds, all, missed } = await evaluate(memory, id, questions);
        console.log(
          `${language}, ${half} half, ${turns.length} turns, ${grown}: recall@10 ${percent(all)}, without "far" ` +
            `(at least 75 %, aim 85 %)\n${kinds.map(line).join('\n')}`,
        );
        if (options.missed) console.log(missed.map((one) => `  not found: ${one}`).join('\n'));
      }
    };
    await report('before growth', agentId);
    const logger = createLogger('bench', { level: 'warn' });
    const perSecond = await growAll({ database, logger }, agentId);
    await report(`grown by rules (${perSecond.toFixed(0)} events/s)`, agentId);
    const scripted = `agt_${language}_scripted`;
    await addAgent(database, scripted);
    await storeTurns(database, scripted, turns);
    await growAll({ database, logger }, scripted, scriptedGrower);
    await report('grown by the scripted model', scripted);
  }
}

function line({ kind, questions, recallAt10, newerFirst, topScore }: KindResult): string {
  const found = recallAt10 === null ? 'nothing to find' : `recall@10 ${percent(recallAt10)}`;
  const newer = newerFirst === null ? '' : `, the newer before the older ${percent(newerFirst)}`;
  return `  ${kind.padEnd(14)} ${String(questions).padStart(3)} questions  ${found}${newer}  mean best score ${topScore.toFixed(3)}`;
}

async function measureImport(database: Database): Promise<void> {
  await addAgent(database, AGENT);
  const turns = [...madeTurns(OF_ONE_AGENT)];
  const startedAt = performance.now();
  await storeTurns(database, AGENT, turns);
  const perSecond = OF_ONE_AGENT / ((performance.now() - startedAt) / 1_000);
  console.log(`import: ${perSecond.toFixed(0)} events/s (at least 1000, aim 5000)`);
}

/** The floor is taken by turns with the recalls, so that a busy moment of the machine affects both. */
async function measureSpeed(
  database: Database,
  memory: MemoryRetrieval,
  agents: readonly string[],
  name: string,
): Promise<void> {
  const questions = LANGUAGES.flatMap((language) => readConversation(language).reported);
  const times: Record<'floor' | 'recall', number[]> = { floor: [], recall: [] };
  const before = { cpu: process.cpuUsage(), postgresMs: await activeMs(database) };
  const count = Number(options.samples) + WARM_UPS;
  for (let sample = 0; sample < count; sample += 1) {
    const text = questions[(sample * 7) % questions.length]?.text ?? '';
    const agentId = agents[(sample * 37) % agents.length] ?? AGENT;
    const floorMs = await timed(() => floor(database, sample));
    const recallMs = await timed(() =>
      memory.recall({ agentId, projectId: undefined }, { text, clientId: 'bench' }),
    );
    if (sample < WARM_UPS) continue;
    times.floor.push(floorMs);
    times.recall.push(recallMs);
  }
  const cpu = process.cpuUsage(before.cpu);
  const postgresMs = (await activeMs(database)) - before.postgresMs;
  await database.pool.query('truncate bench_floor');
  console.log(row(`floor, a row read and one written`, percentiles(times.floor)));
  console.log(row(`recall, ${name}`, percentiles(times.recall)));
  console.log(
    `  a recall: ${((cpu.user + cpu.system) / 1_000 / count).toFixed(1)} ms of CPU in this process, statements of ` +
      `${(postgresMs / count).toFixed(1)} ms in Postgres; resident memory of this process ` +
      `${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB`,
  );
  await measureService(postgres.adminUrl, agents, Number(options.samples));
}

async function floor(database: Database, id: number): Promise<void> {
  await database.statement({
    name: 'floor_read',
    text: 'select * from agents where id = $1',
    values: [AGENT],
  });
  await database.statement({
    name: 'floor_write',
    text: 'insert into bench_floor values ($1, $2)',
    values: [id, 'x'.repeat(500)],
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function activeMs(database: Database): Promise<number> {
  await database.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await database.pool.query<{ ms: number }>(
    'select active_time as ms from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.ms ?? Number.NaN;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(0)} s`;
}
