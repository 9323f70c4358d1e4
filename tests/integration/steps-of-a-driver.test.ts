import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReceiptBook } from '@aizuchi/shared/mcp-client/receipt-book';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import type { WorldAgent } from '@aizuchi/shared/testing/service-world';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AgentLoop } from '../../packages/agent-runner/src/agent-loop.ts';
import { ResumeStore } from '../../packages/agent-runner/src/session/resume-store.ts';
import { DONE, ScriptedDriver, text } from '../../packages/agent-runner/test/scripted-driver.ts';
import { McpWorld, type RunningServer } from '../../packages/mcp-server/src/testing/mcp-world.ts';

/*
 * The runner with a driver of a test, the real mcp-server, the real database: what a driver reports is what a person
 * reads.
 */
let world: McpWorld;
let server: RunningServer;
let home: string;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer();
  home = await mkdtemp(join(tmpdir(), 'aizuchi-steps-'));
});
afterAll(async () => {
  await world.close();
  await rm(home, { recursive: true, force: true });
});

/** The process of an agent; resolves with its exit code when a person has closed its chat. */
async function live(membership: WorldAgent, driver: ScriptedDriver) {
  const { services } = world;
  await services.coordinator();
  await services.chat.start(services.owner, membership);
  const start = await services.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
  if (start.action !== 'start' || start.ticket === null) throw new Error('no start');
  const token = start.ticket;
  const url = server.mcpUrl;
  const client = new ToolClient({ url, token, name: 'test', version: '1', receipts: new ReceiptBook() });
  const resumeStore = new ResumeStore(home, { provider: 'test', ...membership });
  const { agentId } = membership;
  return new AgentLoop({
    client,
    driver,
    agentId,
    mcp: { url, token },
    resumeStore,
    log: () => undefined,
    hide: (text) => text,
    begunSecret: () => 0,
  });
}

async function answersOf(membership: WorldAgent) {
  const { history, owner } = world.services;
  const { messages } = await history.list(owner, { ...membership, limit: 50 });
  return messages.filter(({ sender }) => sender === 'agent');
}

test('steps and usage of a driver are kept with its answer, also of one that began anew', async () => {
  const { services } = world;
  const membership = await services.agentInProject();
  const read = { id: 'toolu_1', kind: 'read', title: 'Read parse.ts' } as const;
  const edit = {
    id: 'toolu_2',
    kind: 'edit',
    title: 'Edit parse.ts',
    status: 'done',
    diff: { path: 'parse.ts', before: 'a\u0000', after: 'b' },
  } as const;
  const isShown = Promise.withResolvers<void>();
  const driver = new ScriptedDriver(async function* () {
    yield { type: 'step', step: { ...read, status: 'running' } };
    yield text('The stream br');
    await isShown.promise;
    yield { type: 'truncate', length: 4 };
    yield { type: 'step', step: edit };
    yield text('parser works.');
    yield { type: 'usage', usage: { model: 'm-1', inputTokens: 900, outputTokens: 80, costUsd: 0.25 } };
    yield DONE;
  });
  const loop = await live(membership, driver);
  const exit = loop.run();
  await services.chat.post(services.owner, { ...membership, content: 'Repair the parser' });
  const growing = async () =>
    (await services.presence.agentSessions(services.owner, membership.projectId))[membership.agentId]
      ?.growing;
  await expect.poll(growing, { timeout: LONG_TIMEOUT_MS }).toMatchObject([{ steps: 1 }]);
  isShown.resolve();

  await expect.poll(() => answersOf(membership), { timeout: LONG_TIMEOUT_MS }).toHaveLength(1);
  const [answer] = await answersOf(membership);
  expect(answer).toMatchObject({
    content: 'The parser works.',
    steps: 2,
    usage: { inputTokens: 900, outputTokens: 80, costUsd: 0.25, durationMs: expect.any(Number) },
    model: 'm-1',
  });
  const { steps } = await services.steps.list(services.owner, { ...membership, messageId: answer?.id ?? '' });
  expect(steps).toEqual([
    { ...read, status: 'done' },
    { ...edit, diff: { ...edit.diff, before: 'a\ufffd' } },
  ]);
  expect(await growing()).toBeUndefined();
  const query = { by: 'model' as const };
  expect(await services.usage.ofProject(services.owner, membership.projectId, query)).toMatchObject({
    usage: [{ key: 'm-1', messages: 1, inputTokens: 900, costUsd: 0.25 }],
  });
  await services.chat.end(services.owner, { ...membership, force: true });
  expect(await exit).toBe(0);
});
