import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Launch } from '@aizuchi/shared/contract/launch';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { judge } from '../../packages/agent-runner/src/drivers/builtin/shiritori/rules.ts';
import { McpWorld, type RunningServer } from '../../packages/mcp-server/src/testing/mcp-world.ts';

let folder: string;
let world: McpWorld;
let server: RunningServer;
const runners: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-pair-'));
  const script = fileURLToPath(new URL('../../packages/agent-runner/bundle.mjs', import.meta.url));
  await promisify(execFile)(process.execPath, [script, folder]);
  world = await McpWorld.create();
  server = await world.startServer();
});
afterAll(async () => {
  for (const runner of runners) {
    const ended = once(runner, 'exit');
    if (runner.kill('SIGKILL')) await ended;
  }
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the runner as a Coordinator starts it, for a session that waits for it. */
async function run(membership: { projectId: string; agentId: string }): Promise<void> {
  const { services } = world;
  await services.coordinator();
  await services.chat.start(services.owner, { ...membership, viewerId: 'viewer-1' });
  const start = await services.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
  if (start.action !== 'start' || start.ticket === null) throw new Error(`no start: ${start.action}`);
  const { runId, ticket } = start;
  await services.coordination.reportProcessStarted({
    runId,
    coordinatorId: 'host-a',
    host: 'host-a',
    bootId: 'boot',
    pid: 4711,
    startTicks: 1,
  });
  const runner = spawn(process.execPath, [join(folder, 'runner.mjs'), 'builtin'], {
    env: { AIZUCHI_MCP_URL: server.mcpUrl, AIZUCHI_RUN_ID: runId },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const launch: Launch = { ...membership, runId, ticket, purpose: 'chat', provider: 'builtin' };
  runner.stdin?.end(`${JSON.stringify(launch)}\n`);
  runners.push(runner);
}

test('two built-in agents play the rounds that a person requested, each in its own process', async () => {
  const { services } = world;
  const a = await services.agentInProject();
  const b = await services.colleague(a);
  await Promise.all([run(a), run(b)]);
  await services.chat.post(services.owner, { ...a, content: `${b.agentId}としりとりを5往復してください` });
  const report = await vi.waitFor(
    async () => {
      const { messages } = await services.history.list(services.owner, { ...a, limit: 50 });
      const last = messages.at(-1)?.content ?? '';
      expect(last).toContain('終わりました');
      return last;
    },
    { timeout: LONG_TIMEOUT_MS, interval: 20 },
  );
  const words = report.split('：').at(-1)?.split(' → ') ?? [];
  expect(words).toHaveLength(10);
  words.forEach((word, index) => {
    expect(judge(word, words.slice(0, index)), word).toBe('good');
  });
  const { rows } = await services.database.pool.query(
    `select content, sender_id from chat_messages where conversation_id is not null order by seq`,
  );
  expect(rows.map(({ content }) => content)).toEqual([
    `しりとりをしましょう。${words[0]}`,
    ...words.slice(1),
  ]);
  expect(rows.map(({ sender_id: by }) => by)).toEqual(Array(5).fill([a.agentId, b.agentId]).flat());
  // Both agents were told, so the conversation has ended.
  await vi.waitFor(
    async () => {
      const ended = await services.database.pool.query(
        `select state, ended_by, end_reason from conversations`,
      );
      expect(ended.rows).toEqual([{ state: 'ended', ended_by: a.agentId, end_reason: 'initiator_ended' }]);
    },
    { timeout: LONG_TIMEOUT_MS, interval: 20 },
  );
});
