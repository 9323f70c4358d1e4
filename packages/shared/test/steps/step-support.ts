import type { Step } from '../../src/contract/step.ts';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { newId } from '../../src/platform/ids.ts';
import type { ServiceWorld, WorldAgent } from '../../src/testing/service-world.ts';

export const STEP: Step = { id: 's1', kind: 'read', title: 'Read parse.ts', status: 'running' };

/** An agent that is at work on a message of a person. */
export async function atWork(world: ServiceWorld, given?: WorldAgent) {
  const membership = given ?? (await world.agentInProject());
  // A host for each: nobody waits for a place.
  const agent = await world.warmAgent(membership, `host-${membership.agentId}`);
  const asked = await ask(world, membership, agent.caller);
  return { membership, ...agent, ...asked };
}

/** Another message, taken by the session. */
export async function ask(world: ServiceWorld, membership: WorldAgent, caller: AgentCaller) {
  const { message } = await world.chat.post(world.owner, { ...membership, content: 'How is it going?' });
  const { batchId } = await world.delivery.take(caller);
  if (batchId === null) throw new Error('nothing was given');
  return { question: message.id, batchId, messageId: newId('msg') };
}

/** The steps as a person reads them; the code of the refusal where there is no such answer. */
export async function stepsOf(world: ServiceWorld, membership: WorldAgent, messageId: string) {
  return world.steps.list(world.owner, { ...membership, messageId }).then(
    ({ steps }) => steps,
    (error: { code: string }) => error.code,
  );
}

export async function viewOf(world: ServiceWorld, { projectId, agentId }: WorldAgent) {
  return (await world.presence.agentSessions(world.owner, projectId))[agentId];
}
