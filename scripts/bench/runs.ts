/**
 * Many runs at once: agents of provider builtin are all called at the same moment, each answers one message, and all
 * are ended. Until when they live and have answered, where they are, what this host paid for them, and what is left.
 * `npm run bench -- runs [--runs 50] [--swarm ADDRESS | --containers ADDRESS]`
 * Without an address they are processes. `--swarm`: on the nodes of the manager of AIZUCHI_SWARM_HOST, `--containers`: of
 * the engine of AIZUCHI_DOCKER_HOST; they reach the product at this address of the host. The cost is that of this host,
 * with everything on it; nodes elsewhere are not in it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { messageSchema } from '@aizuchi/shared/contract/chat';
import { type Run, runPageSchema } from '@aizuchi/shared/contract/run';
import { z } from 'zod';
import { ApiCaller } from '../../tests/e2e/web/support/api-caller.ts';
import { startProduct } from '../commands/product.ts';
import { hostUsage } from './support/host-usage.ts';
import { leftInEngine, requireEngine } from './support/left-in-engine.ts';
import { percentiles, row } from './support/statistics.ts';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '50' },
    swarm: { type: 'string' },
    containers: { type: 'string' },
  },
});
const count = Number(options.runs);
const executor =
  options.swarm !== undefined ? 'swarm' : options.containers !== undefined ? 'docker' : 'process';
const LOOK_EVERY_MS = 250;
const LIMIT_MS = 300_000;
const VIEWER = 'bench';
const anything = z.unknown();
const sessionsSchema = z.object({
  agentSessions: z.record(z.string(), z.object({ chatStatus: z.string() })),
});
const messagesSchema = z.object({ messages: z.array(messageSchema) });

if (executor !== 'process') await requireEngine(executor);
const product = await startProduct({
  RATE_LIMIT_PER_MINUTE: '0',
  COORDINATOR_MAX_PROCESSES: String(count),
  PENDING_PURPOSE_TTL_SECONDS: String(LIMIT_MS / 1_000),
  // Nobody looks at these chats.
  VIEWER_LEASE_SECONDS: '3600',
  ...place(),
});
try {
  const { AIZUCHI_WEB_URL = '', AIZUCHI_OWNER_PASSKEY = '' } = product.environment;
  const owner = await ApiCaller.signIn(AIZUCHI_WEB_URL, 'owner', AIZUCHI_OWNER_PASSKEY);
  await measure(owner);
} finally {
  await product.stop();
}

function place(): Record<string, string> {
  const address = options.swarm ?? options.containers;
  if (address === undefined) return {};
  const { AIZUCHI_SWARM_HOST, AIZUCHI_DOCKER_HOST } = process.env;
  return {
    AIZUCHI_EXECUTOR: executor,
    AIZUCHI_DOCKER_HOST: (executor === 'docker' ? AIZUCHI_DOCKER_HOST : AIZUCHI_SWARM_HOST) ?? '',
    AIZUCHI_HOST: address,
    AIZUCHI_ALLOWED_HOSTS: address,
    // They are given back to the product, which else gets none of our settings.
    ...ours('AIZUCHI_DOCKER_CERTS', 'AIZUCHI_DOCKER_IMAGE', 'AIZUCHI_SWARM_CONSTRAINTS'),
  };
}

function ours(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

async function measure(owner: ApiCaller): Promise<void> {
  const projectId = 'prj_bench_runs';
  const project = `/projects/${projectId}`;
  await owner.call(anything, 'POST', '/projects', { id: projectId, name: 'Bench' });
  const agents = Array.from({ length: count }, (_, index) => `agt_bench_${index}`);
  for (const id of agents) {
    await owner.call(anything, 'POST', '/agents', { id, name: id, type: 'ai' });
    await owner.call(anything, 'PUT', `${project}/agents/${id}`);
  }
  const chat = (id: string) => `${project}/agents/${id}/chat`;
  const before = await hostUsage();

  const startedAt = performance.now();
  await Promise.all(
    agents.map((id) => owner.call(anything, 'POST', `${chat(id)}/start`, { viewerId: VIEWER })),
  );
  const alive = await timesUntil(startedAt, agents, async () => {
    const { agentSessions } = await owner.call(sessionsSchema, 'GET', `${project}/agent-sessions`);
    return (id) => agentSessions[id]?.chatStatus === 'ready';
  });
  const after = await hostUsage();
  const runs = await runsOf(owner, project);
  console.log(row(`${count} agents called at once → it waits for messages`, percentiles(alive)));
  for (const [where, number] of [...placement(runs)].sort())
    console.log(`${String(number).padStart(5)} ${where}`);
  const busy = ((after.busySeconds - before.busySeconds) / count).toFixed(2);
  const memory = ((after.usedMb - before.usedMb) / count).toFixed(0);
  console.log(
    `cost of each on this host: ${busy} s of a processor to start, ${memory} MB of memory while it waits`,
  );

  const askedAt = performance.now();
  const written = new Map<string, string>();
  await Promise.all(
    agents.map(async (id) => {
      const body = { content: 'How are the tasks going?' };
      written.set(id, (await owner.call(messageSchema, 'POST', `${chat(id)}/messages`, body)).id);
    }),
  );
  const times = await timesUntil(askedAt, agents, async () => {
    for (const [id, messageId] of written)
      if (await isAnswered(owner, chat(id), messageId)) written.delete(id);
    return (id) => !written.has(id);
  });
  console.log(row('a message to all at once → answered', percentiles(times)));

  const endedAt = performance.now();
  await Promise.all(agents.map((id) => owner.call(anything, 'POST', `${chat(id)}/end`, { force: true })));
  while ((await runsOf(owner, project)).length > 0) await lookAgain(endedAt);
  const goneAt = performance.now();
  console.log(`all ended after ${((goneAt - endedAt) / 1_000).toFixed(1)} s`);
  if (executor === 'process') return;
  // The spare of the Coordinator, where it keeps one.
  const spares = executor === 'docker' ? 1 : 0;
  while ((await leftInEngine(executor, product.environment.AIZUCHI_HOME ?? '')) > spares)
    await lookAgain(endedAt);
  const leftMs = performance.now() - goneAt;
  console.log(`nothing of them is left ${(leftMs / 1_000).toFixed(1)} s after that (at most 10)`);
}

/** When each of them was first seen so, in ms. */
async function timesUntil(
  startedAt: number,
  ids: readonly string[],
  look: () => Promise<(id: string) => boolean>,
): Promise<number[]> {
  const times = new Map<string, number>();
  while (times.size < ids.length) {
    const isSo = await look();
    for (const id of ids) if (!times.has(id) && isSo(id)) times.set(id, performance.now() - startedAt);
    if (times.size < ids.length) await lookAgain(startedAt, `${times.size} of ${ids.length}`);
  }
  return [...times.values()];
}

async function lookAgain(startedAt: number, sofar = 'not all'): Promise<void> {
  if (performance.now() - startedAt > LIMIT_MS) throw new Error(`${sofar} after ${LIMIT_MS / 1_000} s`);
  await delay(LOOK_EVERY_MS);
}

async function isAnswered(owner: ApiCaller, chat: string, id: string): Promise<boolean> {
  const { messages } = await owner.call(messagesSchema, 'GET', `${chat}/messages?limit=20`);
  return messages.some((message) => message.id === id && message.state === 'answered');
}

/** Those that live. */
async function runsOf(owner: ApiCaller, project: string): Promise<Run[]> {
  const found: Run[] = [];
  let cursor: string | null = null;
  do {
    const query = `state=starting&state=running&state=stopping&limit=200${cursor === null ? '' : `&cursor=${cursor}`}`;
    const page: z.infer<typeof runPageSchema> = await owner.call(
      runPageSchema,
      'GET',
      `${project}/runs?${query}`,
    );
    found.push(...page.runs);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

function placement(runs: readonly Run[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { executor, node, host } of runs) {
    const where = `${executor ?? 'process'} on ${node ?? host ?? 'this host'}`;
    counts.set(where, (counts.get(where) ?? 0) + 1);
  }
  return counts;
}
