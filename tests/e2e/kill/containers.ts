import type { Message } from '@aizuchi/shared/contract/chat';
import { type Run, runPageSchema } from '@aizuchi/shared/contract/run';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { INSTANCE_LABEL } from '../../../packages/coordinator/src/executor/docker/box.ts';
import { instanceIdOf } from '../../../packages/coordinator/src/state/instance-id.ts';
import {
  type DockerWorld,
  dockerWorld,
  settingsOfProduct,
} from '../../../packages/coordinator/test/docker-world.ts';
import { until } from '../start/product-process.ts';
import { KillWorld } from './kill-support.ts';

/** What was promised for a run that has ended, with everything that was made for it. */
const NOTHING_LEFT_MS = 10_000;
const MEMORY_MB = 64;

type Membership = Awaited<ReturnType<KillWorld['makeAgent']>>;
const containersSchema = z.array(z.object({ Id: z.string(), Names: z.array(z.string()), State: z.string() }));
type Container = z.infer<typeof containersSchema>[number];
const isSpare = ({ Names }: Container) => Names.some((name) => name.includes('-spare_'));
const networksSchema = z.array(z.object({ Id: z.string() }));
const volumesSchema = z.object({ Volumes: z.array(z.object({ Name: z.string() })).nullable() });

/** The product with its runs in containers of a real engine. Where there is none, why it is left out. */
export async function testContainers(): Promise<string | undefined> {
  const docker = await dockerWorld();
  if (typeof docker === 'string') return docker;
  if (!docker.isLocal) return 'the engine is on another host, whose containers do not reach this one';
  describe('runs in containers', () => testProduct(docker));
  return undefined;
}

function testProduct(docker: DockerWorld): void {
  const { engine } = docker;
  let world: KillWorld;
  let before: unknown;
  beforeAll(async () => {
    before = await belongings();
    const { AIZUCHI_DOCKER_IMAGE = '' } = process.env;
    world = await KillWorld.start({
      ...(await settingsOfProduct(docker)),
      AIZUCHI_DOCKER_IMAGE,
      COORDINATOR_ALLOWED_COMMANDS: '/bin/sh',
    });
  });
  afterAll(async () => {
    const left = await world.product.end().then(all);
    expect(await world.product.stop()).toBe(true);
    expect(left).toEqual([]);
    expect(await belongings()).toEqual(before);
  });

  /** Of this product, in whatever state, spares too. */
  async function all(): Promise<Container[]> {
    const query = {
      all: '1',
      filters: JSON.stringify({ label: [`${INSTANCE_LABEL}=${await instanceIdOf(world.home)}`] }),
    };
    return containersSchema.parse(await engine.call({ method: 'GET', path: '/containers/json', query }));
  }

  /** Those of runs. */
  const containers = async () => (await all()).filter((one) => !isSpare(one));
  const spares = async () => (await all()).filter((one) => isSpare(one) && one.State === 'running');

  /** What an engine keeps beside containers. */
  async function belongings() {
    const networks = networksSchema.parse(await engine.call({ method: 'GET', path: '/networks' }));
    const volumes = volumesSchema.parse(await engine.call({ method: 'GET', path: '/volumes' }));
    return [networks.map(({ Id }) => Id).sort(), volumes.Volumes ?? []];
  }

  async function runs({ projectId }: Membership): Promise<Run[]> {
    return runPageSchema.parse(await world.call('GET', `/projects/${projectId}/runs`)).runs;
  }

  async function answer(agent: Membership, number: number): Promise<void> {
    const message = await world.write(agent, 'タスクの進捗を教えてください', `m${number}`);
    await world.answered(agent, message.id);
  }

  async function end({ projectId, agentId }: Membership): Promise<void> {
    await world.call('POST', `/projects/${projectId}/agents/${agentId}/chat/end`, { force: true });
    await until(async () => (await containers()).length === 0, NOTHING_LEFT_MS);
    expect(await belongings()).toEqual(before);
  }

  it('UC014: the built-in agent answers from its container, and leaves nothing', async () => {
    const agent = await world.makeAgent('boxed');
    await until(async () => (await spares()).length === 1);
    const [spare] = await spares();
    await world.open(agent);
    await answer(agent, 1);
    const [run] = await runs(agent);
    expect(run).toMatchObject({ executor: 'docker', state: 'running', limits: { memoryMb: 1_024 } });
    const names = (await containers()).map(({ Names }) => Names[0]);
    // It has got the spare, and another one waits for the next.
    expect((await containers()).map(({ Id }) => Id)).toEqual([spare?.Id]);
    await until(async () => (await spares()).length === 1);
    expect(names).toEqual([expect.stringMatching(new RegExp(`-${run?.id}$`))]);
    await end(agent);
  });

  it('a killed Coordinator: the next one ends its container, and every message is answered', async () => {
    const agent = await world.makeAgent('boxed_orphan');
    await world.open(agent);
    await answer(agent, 1);
    await until(async () => (await spares()).length === 1);
    const orphans = new Set((await all()).map(({ Id }) => Id));
    await world.killService('coordinator');
    await answer(agent, 2);
    await until(async () => (await all()).every(({ Id }) => !orphans.has(Id)), NOTHING_LEFT_MS);
    // Neither the spare of the killed one nor its run; what is there now belongs to the next one.
    expect(orphans.size).toBe(2);
    expect((await world.messages(agent)).filter(({ sender }) => sender === 'agent')).toHaveLength(2);
    await end(agent);
  });

  it('a spare that was killed goes to nobody, and another one is started', async () => {
    const agent = await world.makeAgent('boxed_spare');
    await until(async () => (await spares()).length === 1);
    const [killed] = await spares();
    await engine.call({ method: 'POST', path: `/containers/${killed?.Id}/kill` });
    await world.open(agent);
    await answer(agent, 1);
    await until(async () => (await all()).every(({ Id }) => Id !== killed?.Id), NOTHING_LEFT_MS);
    await until(async () => (await spares()).length === 1);
    await end(agent);
  });

  it('an agent that eats memory: the chat and the run say so, with what to do', async () => {
    const eats = 'x=aaaaaaaaaaaaaaaa; while :; do x="$x$x"; done';
    const agent = await world.makeAgent('boxed_eater', {
      provider: 'command',
      command: { file: '/bin/sh', args: ['-c', eats], mode: 'per_work' },
      limits: { memoryMb: MEMORY_MB },
    });
    const message = await world.write(agent, 'eat', 'm1');
    const line: Message | undefined = await world.failed(agent, message.id);
    const [run] = await runs(agent);
    const sentence = new RegExp(`上限 ${MEMORY_MB} MiB を超えたため、強制終了.*メモリを増やす`);
    expect(run).toMatchObject({ state: 'exited', exitCause: 'crashed', signal: 'SIGKILL' });
    expect(run?.error).toMatch(sentence);
    expect(line?.content).toMatch(sentence);
    await until(async () => (await containers()).length === 0, NOTHING_LEFT_MS);
  });
}
