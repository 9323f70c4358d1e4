import { setTimeout as sleep } from 'node:timers/promises';
import { ClaudeProduct, type Membership } from '../../../tests/e2e/claude/claude-product.ts';
import { postgresPid, readServices, until } from '../../../tests/e2e/start/product-process.ts';
import { FakeOpenAi } from '../../../tests/fixtures/fake-openai.ts';
import { type IdleProvider, idleKind } from './idle-providers.ts';
import { percentOfCore, pidsOfTree, type Usage, usageOf } from './process-tree.ts';
import { parentOf } from './processes.ts';

export interface IdleAgentsOptions {
  readonly providers: readonly IdleProvider[];
  /** Agents of each provider. */
  readonly agents: number;
  readonly seconds: number;
  readonly settleSeconds: number;
}

/**
 * Agents that have answered one message wait for the next: the turns that their models were asked for, the CPU of the
 * product and of their own processes, and the memory of both. One provider after the other.
 */
export async function measureIdleAgents(options: IdleAgentsOptions): Promise<void> {
  const product = await ClaudeProduct.start();
  const openai = await FakeOpenAi.start(() => ({ text: 'Hello.' }));
  try {
    for (const provider of options.providers) await measureProvider(product, openai, provider, options);
    console.log(`connections to anywhere else: ${product.elsewhere.length}`);
  } finally {
    await product.stop();
    await openai.close();
  }
}

async function measureProvider(
  product: ClaudeProduct,
  openai: FakeOpenAi,
  provider: IdleProvider,
  { agents: count, seconds, settleSeconds }: IdleAgentsOptions,
): Promise<void> {
  const { fields, modelRequests, asksByItself } = await idleKind(provider, product, openai);
  const agents: Membership[] = [];
  for (let number = 1; number <= count; number += 1)
    agents.push(await openAndGreet(product, `${provider}-${number}`, fields));
  await sleep(settleSeconds * 1_000);

  const runPids = await pidsOf(product, agents);
  const [requests, messages] = [await modelRequests?.(), await messagesOf(product, agents)];
  const before = await usages(product, runPids);
  const startedAt = performance.now();
  await sleep(seconds * 1_000);
  const after = await usages(product, runPids);
  const tookSeconds = (performance.now() - startedAt) / 1_000;
  const asked = (await modelRequests?.()) ?? 0;
  const said = (await messagesOf(product, agents)) - messages;
  const alive = (await Promise.all(agents.map((agent) => product.world.sessions(agent)))).filter(Boolean);

  console.log(`--- ${count} agents of provider ${provider} wait, ${seconds} s`);
  for (const [name, usage] of after) {
    const percent = percentOfCore(before.get(name) ?? usage, usage, tookSeconds)
      .toFixed(2)
      .padStart(6);
    const memory = usage.memoryMb.toFixed(0).padStart(5);
    console.log(`${name.padEnd(16)} ${percent} % of a core ${memory} MB in ${usage.processes} processes`);
  }
  const limit = asksByItself
    ? `${(((asked - (requests ?? 0)) / count) * (3_600 / seconds)).toFixed(0)} an hour and agent`
    : 'at most 0';
  const turns = requests === undefined ? 'it has no model' : `${asked - requests} model requests (${limit})`;
  console.log(`${turns}; ${said} messages; ${alive.length} of ${count} sessions live`);
  await endAll(product, agents);
}

async function openAndGreet(product: ClaudeProduct, name: string, fields: object): Promise<Membership> {
  const { world } = product;
  const agent = await world.makeAgent(name, fields);
  await world.open(agent);
  const { id } = await world.write(agent, 'Hello', 'hello');
  await world.answered(agent, id);
  return agent;
}

async function endAll(product: ClaudeProduct, agents: readonly Membership[]): Promise<void> {
  for (const agent of agents) await product.close(agent);
  for (const agent of agents)
    await until(async () => (await product.runs(agent)).every(({ state }) => state === 'exited'));
}

/** Of the agents and everything that they have started. */
async function pidsOf(product: ClaudeProduct, agents: readonly Membership[]): Promise<Set<number>> {
  const runs = (await Promise.all(agents.map((agent) => product.runs(agent)))).flat();
  return pidsOfTree(runs.flatMap(({ state, pid }) => (state === 'running' && pid !== null ? [pid] : [])));
}

async function messagesOf({ world }: ClaudeProduct, agents: readonly Membership[]): Promise<number> {
  const lists = await Promise.all(agents.map((agent) => world.messages(agent)));
  return lists.flat().length;
}

/** The spare runner of the Coordinator is in none of them. */
async function usages({ world }: ClaudeProduct, agents: ReadonlySet<number>): Promise<Map<string, Usage>> {
  const services = await readServices(world.home);
  const [anyService] = services;
  const pids = new Map<string, Iterable<number>>([
    ['supervisor', [await parentOf(anyService?.pid ?? 0)]],
    ...services.map(({ name, pid }): [string, number[]] => [name, [pid]]),
    ['Postgres', await pidsOfTree([await postgresPid(world.home)])],
    ['agents', agents],
  ]);
  const found = new Map<string, Usage>();
  for (const [name, some] of pids) found.set(name, await usageOf(some));
  return found;
}
