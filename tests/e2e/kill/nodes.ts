import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runPageSchema } from '@aizuchi/shared/contract/run';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { INSTANCE_LABEL } from '../../../packages/coordinator/src/executor/docker/box.ts';
import { instanceIdOf } from '../../../packages/coordinator/src/state/instance-id.ts';
import { type SwarmWorld, swarmWorld } from '../../../packages/coordinator/test/swarm-world.ts';
import { until } from '../start/product-process.ts';
import { KillWorld } from './kill-support.ts';

const AGENTS = 6;
const MESSAGES = 5;
/** A manager calls a node down some seconds after its last heartbeat; then its run is lost and another one begins. */
const NODE_DOWN_MS = 120_000;

type Membership = Awaited<ReturnType<KillWorld['makeAgent']>>;
const tasksSchema = z.array(
  z.object({ NodeID: z.string().optional(), Status: z.object({ State: z.string() }) }),
);
const nodesSchema = z.array(
  z.object({
    ID: z.string(),
    Version: z.object({ Index: z.number() }),
    Spec: z.looseObject({ Availability: z.string() }),
    Status: z.object({ State: z.string() }),
    ManagerStatus: z.unknown().optional(),
  }),
);

/**
 * The product with its runs on two nodes of a swarm, of which one goes: it is drained, or `AIZUCHI_SWARM_KILL` (for
 * `sh -c`) kills it. Where no manager and no address of this host for its nodes is named, why it is left out.
 */
export async function testNodes(
  expectNothingLost: (world: KillWorld, membership: Membership, ids: readonly string[]) => Promise<void>,
): Promise<string | undefined> {
  const { AIZUCHI_SWARM_PRODUCT_ADDRESS: address } = process.env;
  const swarm = await swarmWorld();
  if (typeof swarm === 'string') return swarm;
  if (!address) return 'AIZUCHI_SWARM_PRODUCT_ADDRESS names no address of this host that the nodes reach';
  describe('runs on the nodes of a swarm', () => testLossOfNode(swarm, address, expectNothingLost));
  return undefined;
}

function testLossOfNode(
  { engine }: SwarmWorld,
  address: string,
  expectNothingLost: (world: KillWorld, membership: Membership, ids: readonly string[]) => Promise<void>,
): void {
  const {
    AIZUCHI_SWARM_HOST = '',
    AIZUCHI_DOCKER_CERTS,
    AIZUCHI_DOCKER_IMAGE,
    AIZUCHI_SWARM_KILL,
  } = process.env;
  let world: KillWorld;
  beforeAll(async () => {
    world = await KillWorld.start({
      AIZUCHI_EXECUTOR: 'swarm',
      AIZUCHI_DOCKER_HOST: AIZUCHI_SWARM_HOST,
      ...(AIZUCHI_DOCKER_CERTS && { AIZUCHI_DOCKER_CERTS }),
      ...(AIZUCHI_DOCKER_IMAGE && { AIZUCHI_DOCKER_IMAGE }),
      AIZUCHI_HOST: address,
      AIZUCHI_ALLOWED_HOSTS: address,
    });
  });
  afterAll(async () => {
    expect(await world.product.stop()).toBe(true);
  });

  const nodes = async () => nodesSchema.parse(await engine.call({ method: 'GET', path: '/nodes' }));

  async function setAvailability(id: string, availability: 'drain' | 'active'): Promise<void> {
    const node = (await nodes()).find(({ ID }) => ID === id);
    await engine.call({
      method: 'POST',
      path: `/nodes/${id}/update`,
      query: { version: String(node?.Version.Index) },
      body: { ...node?.Spec, Availability: availability },
    });
  }

  /** How many tasks of this product run on each node. */
  async function placement(): Promise<Map<string, number>> {
    const filters = JSON.stringify({ label: [`${INSTANCE_LABEL}=${await instanceIdOf(world.home)}`] });
    const tasks = tasksSchema.parse(await engine.call({ method: 'GET', path: '/tasks', query: { filters } }));
    const counts = new Map<string, number>();
    for (const { NodeID = '', Status } of tasks)
      if (Status.State === 'running') counts.set(NodeID, (counts.get(NodeID) ?? 0) + 1);
    return counts;
  }

  /** Each message is written when the one before it is answered. */
  async function talk(membership: Membership, ids: string[]): Promise<void> {
    for (let number = 2; number <= MESSAGES; number += 1) {
      const { id } = await world.write(membership, 'How are the tasks going?', `m${number}`);
      ids.push(id);
      await until(
        async () =>
          (await world.messages(membership)).some((one) => one.id === id && one.state === 'answered'),
        NODE_DOWN_MS,
      );
    }
  }

  it('a node goes while its runs talk: nothing is lost, twice or unanswered, and its runs are lost', async () => {
    const names = Array.from({ length: AGENTS }, (_, index) => `noded_${index}`);
    const agents = await Promise.all(names.map((name) => world.makeAgent(name)));
    const written = new Map(agents.map((agent) => [agent.agentId, [] as string[]]));
    await Promise.all(
      agents.map(async (agent) => {
        await world.open(agent);
        const { id } = await world.write(agent, 'How are the tasks going?', 'm1');
        written.get(agent.agentId)?.push(id);
        await world.answered(agent, id);
      }),
    );
    const before = await placement();
    const gone = (await nodes()).find(({ ID, ManagerStatus }) => !ManagerStatus && before.has(ID))?.ID ?? '';
    expect([...before.values()].reduce((sum, count) => sum + count, 0)).toBe(AGENTS);
    expect(before.get(gone)).toBeGreaterThan(0);

    const talks = agents.map((agent) => talk(agent, written.get(agent.agentId) ?? []));
    if (AIZUCHI_SWARM_KILL) await promisify(execFile)('sh', ['-c', AIZUCHI_SWARM_KILL]);
    else await setAvailability(gone, 'drain');
    try {
      // Runs of this node that were between two messages are needed by the next one.
      await until(async () => !(await placement()).has(gone) || Boolean(AIZUCHI_SWARM_KILL));
      await Promise.all(talks);
      for (const agent of agents) {
        await expectNothingLost(world, agent, written.get(agent.agentId) ?? []);
        const answers = (await world.messages(agent)).filter(({ sender }) => sender === 'agent');
        expect(answers).toHaveLength(MESSAGES);
      }
      const ended = await Promise.all(
        agents.map(async ({ projectId }) =>
          runPageSchema.parse(await world.call('GET', `/projects/${projectId}/runs`)),
        ),
      );
      const lost = ended.flatMap(({ runs }) => runs).filter(({ exitCause }) => exitCause === 'lost');
      expect(lost).toHaveLength(before.get(gone) ?? 0);
    } finally {
      if (!AIZUCHI_SWARM_KILL) await setAvailability(gone, 'active');
    }
  });
}
