import type { ServiceWorld, WorldAgent } from '@aizuchi/shared/testing/service-world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { McpWorld, type RunningServer } from '../src/testing/mcp-world.ts';
import { TOOL_REGISTRY } from '../src/tool-registry.ts';

let world: McpWorld;
let server: RunningServer;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer();
});
afterAll(() => world.close());

/** The tools that say how the session ended, or leave it. */
const STILL_ANSWERED: ReadonlySet<string> = new Set(['get_next_action', 'logout']);
const AGENT_TOOLS = Object.values(TOOL_REGISTRY)
  .filter(({ audience, name }) => audience === 'agent' && !STILL_ANSWERED.has(name))
  .map(({ name }) => name);

/** The arguments with which each tool gets as far as it can. */
const ARGUMENTS: Record<string, Record<string, unknown>> = {
  respond_chat: { content: 'too late' },
  send_message: { target_agent_id: 'owner', content: 'too late' },
  report_delta: { message_id: `msg_${'0'.repeat(20)}`, text: 'too late' },
  report_step: {
    message_id: `msg_${'0'.repeat(20)}`,
    step: { id: 's1', kind: 'read', title: 'too late', status: 'running' },
  },
  report_models: { models: [] },
  heartbeat: { phase: 'thinking' },
};

const LOSSES: Record<
  string,
  { reason: string; lose(services: ServiceWorld, membership: WorldAgent): Promise<unknown> }
> = {
  'the agent is deleted': {
    reason: 'agent_deleted',
    lose: ({ agents, owner }, { agentId }) => agents.remove(owner, agentId),
  },
  'its membership is deleted': {
    reason: 'removed_from_project',
    lose: ({ projects, owner }, membership) => projects.removeAgent(owner, membership),
  },
  'its project is deleted': {
    reason: 'project_archived',
    lose: ({ projects, owner }, { projectId }) => projects.remove(owner, projectId),
  },
  'its project is archived': {
    reason: 'project_archived',
    lose: ({ projects, owner }, { projectId }) => projects.update(owner, projectId, { status: 'archived' }),
  },
  'its passkey is deleted': {
    reason: 'force_ended',
    lose: ({ agents, owner }, { agentId }) => agents.removePasskey(owner, agentId),
  },
  'the chat was ended at once before, and then the agent is deleted': {
    reason: 'force_ended',
    lose: async ({ agents, chat, owner }, membership) => {
      await chat.end(owner, { ...membership, force: true });
      await agents.remove(owner, membership.agentId);
    },
  },
};

describe.each(Object.entries(LOSSES))('%s', (_, { reason, lose }) => {
  test('trap 33: every tool but the two that end a session is refused from the next call on', async () => {
    const { services } = world;
    const membership = await services.agentInProject();
    const { ticket } = await services.warmAgent(membership);
    const agent = await world.connect(server, ticket);
    await services.chat.post(services.owner, { ...membership, content: 'hello' });
    // The server remembers the session as live, with a message that it holds.
    expect((await agent.call('get_pending_messages')).isError).toBe(false);
    await lose(services, membership);

    for (const tool of AGENT_TOOLS) {
      const reply = await agent.call(tool, ARGUMENTS[tool] ?? {});
      expect({ tool, isError: reply.isError, text: reply.text }).toMatchObject({
        tool,
        isError: true,
        text: expect.stringContaining('"unauthenticated"'),
      });
    }
    const { rows } = await services.database.pool.query(
      `select content from chat_messages where project_id = $1 and sender = 'agent'`,
      [membership.projectId],
    );
    expect(rows).toEqual([]);
    expect((await agent.call('get_next_action')).structured).toMatchObject({ action: 'exit', reason });
    expect((await agent.call('logout')).structured).toMatchObject({ success: true });
  });
});

test('messages for an agent without a passkey wait, and are answered when it has one again', async () => {
  const { services } = world;
  const { owner } = services;
  const membership = await services.agentInProject();
  const { caller, runId } = await services.warmAgent(membership);
  await services.agents.removePasskey(owner, membership.agentId);
  const message = await services.chat.post(owner, { ...membership, content: 'still here?' });
  await services.sessions.logout(caller);
  await services.coordination.reportProcessExit({ runId, exitCode: 0 });
  await services.agents.setPasskey(owner, membership.agentId, undefined);
  const again = await services.signIn(membership);
  const given = await services.delivery.take(again.caller);
  expect(given.pendingMessages.map(({ id }) => id)).toEqual([message.message.id]);
});
