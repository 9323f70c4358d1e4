import { deliveredPackSchema } from '@aizuchi/shared/contract/tools/memory-tools';
import type { Memory } from '@aizuchi/shared/core/memory/recall';
import { MemoryRetrieval } from '@aizuchi/shared/core/memory/retrieval/memory-retrieval';
import type { WorldAgent } from '@aizuchi/shared/testing/service-world';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { McpWorld, type RunningServer } from '../src/testing/mcp-world.ts';

/** What agents recall and remember, with the real retrieval. */
let world: McpWorld;
let server: RunningServer;
/** Its memory never answers. */
let stuck: RunningServer;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer({
    memory: new MemoryRetrieval({ ...world.services.deps, stepMs: () => LONG_TIMEOUT_MS }),
    memoryWaitMs: LONG_TIMEOUT_MS,
  });
  const never = () => new Promise<never>(() => undefined);
  const hangs: Memory = { search: never, recall: never };
  stuck = await world.startServer({ memory: hangs });
});
afterAll(() => world.close());

/** Signed in with its passkey, so it is no run of the built-in agent. */
async function signIn(membership: WorldAgent, at: RunningServer = server) {
  const { agents, owner } = world.services;
  const { passkey } = await agents.setPasskey(owner, membership.agentId, {});
  const agent = await world.connect(at);
  const { structured } = await agent.call('authenticate', {
    agent_id: membership.agentId,
    passkey,
    project_id: membership.projectId,
    replace: true,
  });
  expect(structured).toMatchObject({ success: true });
  const session = { session_token: String(structured?.session_token) };
  return {
    call: (tool: string, args: Record<string, unknown> = {}) => agent.call(tool, { ...args, ...session }),
  };
}

async function post(membership: WorldAgent, content: string) {
  await world.services.chat.post(world.services.owner, { ...membership, content });
}

describe('an agent', () => {
  test('finds at once what it remembers, in its project only', async () => {
    const membership = await world.services.agentInProject();
    const agent = await signIn(membership);
    const { structured } = await agent.call('remember', { text: '社長の猫の名前はモモです。' });
    expect(structured).toMatchObject({ success: true });
    const found = await agent.call('recall', { query: '猫の名前' });
    // The event or the state, and not both.
    expect(found.structured).toMatchObject({
      run_id: expect.stringMatching(/^ret_/),
      items: [
        {
          text: '社長の猫の名前はモモです。',
          said_by: 'Worker',
          local_time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/),
          source_events: [structured?.event_id],
        },
      ],
    });

    const { projects, owner } = world.services;
    const other = await projects.create(owner, { id: `${membership.projectId}_b`, name: 'Other' });
    await projects.putAgent(owner, { projectId: other.id, agentId: membership.agentId });
    const elsewhere = await signIn({ ...membership, projectId: other.id });
    const nothing = await elsewhere.call('recall', { query: '猫の名前' });
    expect(nothing.structured).toMatchObject({ items: [] });
  });

  test('is given what fits with the messages of people; its answer says what it was', async () => {
    const membership = await world.services.agentInProject();
    const agent = await signIn(membership);
    await agent.call('remember', { text: 'The cat of the owner is called Momo.' });
    await post(membership, 'What is the name of my cat?');
    await agent.call('get_next_action');
    const { structured } = await agent.call('get_pending_messages');
    expect(structured?.memory).toMatchObject({
      run_id: expect.stringMatching(/^ret_/),
      selected: expect.arrayContaining([
        expect.objectContaining({ snippet: expect.stringContaining('Momo'), said_by: 'Worker' }),
      ]),
    });
    const answered = await agent.call('respond_chat', { content: 'Momo', batch_id: structured?.batch_id });
    const { run_id: runId } = deliveredPackSchema.parse(structured?.memory);
    expect(answered.structured).toMatchObject({ message: { retrievalRunId: runId } });
  });

  test('that wants nothing is given nothing', async () => {
    const membership = await world.services.agentInProject();
    const agent = await signIn(membership);
    await agent.call('remember', { text: 'The cat of the owner is called Momo.' });
    await post(membership, 'My cat?');
    const { structured } = await agent.call('get_pending_messages', { memory: false });
    expect(structured?.pending_messages).toHaveLength(1);
    expect(structured).not.toHaveProperty('memory');
  });

  test('works on when memory hangs, and hears that it is away', async () => {
    const membership = await world.services.agentInProject();
    const agent = await signIn(membership, stuck);
    await post(membership, 'My cat?');
    await agent.call('get_next_action');
    const { structured } = await agent.call('get_pending_messages');
    expect(structured?.pending_messages).toHaveLength(1);
    expect(structured).not.toHaveProperty('memory');
    expect((await agent.call('remember', { text: 'Momo.' })).structured).toMatchObject({ success: true });
    const away = await agent.call('recall', { query: 'cat' });
    expect(away).toMatchObject({
      isError: false,
      structured: { run_id: null, degraded: ['memory_unavailable'], items: [] },
    });
  });
});

test('the built-in agent is not given what it does not ask for', async () => {
  const membership = await world.services.agentInProject();
  const { ticket } = await world.services.warmAgent(membership);
  const agent = await world.connect(server, ticket);
  await agent.call('remember', { text: 'The cat of the owner is called Momo.' });
  await post(membership, 'My cat?');
  await agent.call('get_next_action');
  expect((await agent.call('get_pending_messages')).structured).not.toHaveProperty('memory');
  expect((await agent.call('get_pending_messages', { memory: true })).structured).toHaveProperty('memory');
});
