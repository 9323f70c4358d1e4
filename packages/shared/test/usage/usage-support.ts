import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';

/** A time zone in which it is about noon: no test is overtaken by the end of the day. */
function zoneAtNoon(): string {
  const ahead = 12 - new Date().getUTCHours();
  // These names count westwards.
  return ahead === 0 ? 'Etc/UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

export function worldAtNoon(): Promise<ServiceWorld> {
  return ServiceWorld.create({ timeZone: zoneAtNoon() });
}

export const COST = { inputTokens: 100, outputTokens: 20, durationMs: 1_500 };

export async function warm(world: ServiceWorld, given?: WorldAgent) {
  const membership = given ?? (await world.agentInProject());
  // A host for each: nobody waits for a place.
  return { membership, ...(await world.warmAgent(membership, `host-${membership.agentId}`)) };
}

/** The same agent in another project. */
export async function elsewhere(world: ServiceWorld, { agentId }: WorldAgent): Promise<WorldAgent> {
  const { id: projectId } = await world.projects.create(world.owner, { name: 'Elsewhere' });
  await world.projects.putAgent(world.owner, { projectId, agentId });
  return { projectId, agentId };
}

export async function post(world: ServiceWorld, membership: WorldAgent, content = 'hello') {
  return (await world.chat.post(world.owner, { ...membership, content })).message;
}

/** A person asks, the agent answers, and says what it cost. */
export async function answered(
  world: ServiceWorld,
  { membership, caller }: { membership: WorldAgent; caller: AgentCaller },
  usage: typeof COST & { costUsd?: number; cacheReadTokens?: number } = COST,
  model?: string,
) {
  await post(world, membership);
  await world.delivery.take(caller);
  return world.delivery.respond(caller, { content: 'ok', usage, model });
}

export async function sumsOf(
  world: ServiceWorld,
  { projectId }: WorldAgent,
  by: 'agent' | 'day' | 'model' = 'agent',
) {
  return (await world.usage.ofProject(world.owner, projectId, { by })).usage;
}
