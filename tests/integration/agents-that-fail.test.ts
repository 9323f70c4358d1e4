import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Run } from '@aizuchi/shared/contract/run';
import { checkInvariants } from '@aizuchi/shared/testing/invariants';
import type { WorldAgent } from '@aizuchi/shared/testing/service-world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRunProcesses } from '../../packages/coordinator/src/process/run-processes.ts';
import { bundleCoordinator, until } from '../../packages/coordinator/test/coordinator-host.ts';
import { McpWorld } from '../../packages/mcp-server/src/testing/mcp-world.ts';
import { startCoordinator } from './started-coordinator.ts';

/*
 * Faulty agent programs, started by a real Coordinator and signed in at a real server: in each case the person who
 * wrote gets a reason, and no process is left.
 */

const FIXTURES = fileURLToPath(new URL('../fixtures/agents/', import.meta.url));

let world: McpWorld;
let coordinator: Awaited<ReturnType<typeof startCoordinator>>;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-failing-'));
  world = await McpWorld.create();
  // As root, agents run as another account, which must reach their working directory.
  await chmod(world.services.root, 0o755);
  const server = await world.startServer();
  const bundle = await bundleCoordinator(folder);
  // One host: what the Coordinator writes down, people read through the services.
  coordinator = await startCoordinator(bundle, server, {
    id: 'host-a',
    home: join(world.services.root, 'home'),
  });
});

afterAll(async () => {
  await coordinator.stop();
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

async function agent(command: { file: string; args: string[] }): Promise<WorldAgent> {
  const { agents, owner } = world.services;
  const membership = await world.services.agentInProject();
  await agents.update(owner, membership.agentId, { provider: 'command', command });
  return membership;
}

const fixture = (name: string) => agent({ file: process.execPath, args: [join(FIXTURES, name)] });

async function post(membership: WorldAgent): Promise<string> {
  const { chat, owner } = world.services;
  return (await chat.post(owner, { ...membership, content: 'hello?' })).message.id;
}

/** The visible messages of the system, as soon as the message has failed. */
async function linesAfterFailure(membership: WorldAgent, messageId: string, code: string) {
  const { history, owner } = world.services;
  await until(async () =>
    (await history.byIds([messageId])).get(messageId)?.state === 'failed' ? true : undefined,
  );
  expect((await history.byIds([messageId])).get(messageId)?.failure?.code).toBe(code);
  const { messages } = await history.list(owner, { ...membership, limit: 50 });
  return messages.filter(({ sender }) => sender === 'system');
}

async function runsOf({ projectId }: WorldAgent): Promise<Run[]> {
  return (await world.services.runs.list(world.services.owner, projectId, { limit: 50 })).runs;
}

async function expectNothingLeft(membership: WorldAgent): Promise<void> {
  await until(async () =>
    (await runsOf(membership)).every(({ state }) => state === 'exited') ? true : undefined,
  );
  for (const { id: traceId } of await runsOf(membership))
    expect(await findRunProcesses({ traceId })).toEqual([]);
}

test.concurrent('an agent that dies holding a message three times: the message is redelivered twice, then it fails and no process is started again', async () => {
  const membership = await fixture('dies-holding.mjs');
  const lines = await linesAfterFailure(membership, await post(membership), 'agent_crashed');
  expect(lines.map(({ system }) => system?.code)).toEqual(['agent_gave_up']);
  expect(lines[0]?.system?.params).toMatchObject({
    count: 3,
    exitCode: 9,
    lastLine: 'out of ideas, [hidden]',
  });
  await expectNothingLeft(membership);
  const runs = await runsOf(membership);
  expect(runs).toHaveLength(3);
  for (const run of runs)
    expect(run).toMatchObject({
      exitCause: 'crashed',
      exitCode: 9,
      error: expect.stringContaining('9'),
      stderrTail: 'out of ideas, [hidden]',
    });
});

test.concurrent('an agent that exits at once is started three times, and its last output is reported once', async () => {
  const membership = await fixture('exit-at-once.mjs');
  const lines = await linesAfterFailure(membership, await post(membership), 'agent_crashed');
  expect(lines.map(({ system }) => system?.code)).toEqual(['agent_gave_up']);
  expect(lines[0]?.content).toContain('I give up');
  expect(await runsOf(membership)).toHaveLength(3);
});

test.concurrent('an agent whose command does not exist: reported once, with what to do', async () => {
  const membership = await agent({ file: 'no-such-command', args: [] });
  const lines = await linesAfterFailure(membership, await post(membership), 'agent_crashed');
  expect(lines.map(({ system }) => system?.code)).toEqual(['could_not_start']);
  expect(lines[0]?.content).toMatch(/no-such-command が見つかりません.*インストール/);
  expect((await runsOf(membership))[0]).toMatchObject({
    exitCause: 'could_not_start',
    pid: null,
    error: expect.stringContaining('no-such-command'),
  });
});

test('an agent that a person stops: its log is readable and has no secret, its message fails, no process is started again', async () => {
  const { runs, owner, database, history } = world.services;
  const membership = await fixture('holds-message.mjs');
  const messageId = await post(membership);
  const [run] = await until(async () => {
    const found = await runsOf(membership);
    return found[0]?.state === 'running' ? found : undefined;
  });
  const id = run?.id ?? '';
  const log = async () => (await runs.log(owner, id, {}).catch(() => null))?.text;
  await until(async () => ((await log())?.includes('working') ? true : undefined));
  expect(await log()).toBe('working with [hidden]\n');

  await runs.stop(owner, id);
  expect((await history.byIds([messageId])).get(messageId)).toMatchObject({
    state: 'failed',
    failure: { code: 'stopped_by_person' },
  });
  await expectNothingLeft(membership);
  expect(await runsOf(membership)).toMatchObject([{ exitCause: 'killed', stopReason: 'stopped_by_person' }]);
  const { rows } = await database.pool.query('select from pending_agent_purposes where agent_id = $1', [
    membership.agentId,
  ]);
  expect(rows).toEqual([]);
});

test('an agent that hangs, and one with a wrong passkey: the page shows it at once, the chat after the TTL', async () => {
  const [hanging, wrong] = [await fixture('never-authenticates.mjs'), await fixture('wrong-passkey.mjs')];
  const [hangingId, wrongId] = [await post(hanging), await post(wrong)];
  const { presence, owner, database } = world.services;
  const statusOf = async ({ projectId, agentId }: WorldAgent) =>
    (await presence.agentSessions(owner, projectId))[agentId];
  await until(async () => ((await statusOf(hanging))?.phase === 'sign_in' ? true : undefined));
  await until(async () => ((await statusOf(wrong))?.reason === 'sign_in_refused' ? true : undefined));
  await until(async () => ((await runsOf(wrong))[0]?.state === 'exited' ? true : undefined));
  // A refused agent is not started again: its row exists until the TTL.
  expect(await runsOf(wrong)).toHaveLength(1);
  expect((await runsOf(wrong))[0]?.stderrTail).toMatch(/^exit: Sign-in refused/);

  await database.db.updateTable('appSettings').set({ pendingPurposeTtlSeconds: 1 }).execute();
  const codeOf = async (membership: WorldAgent, id: string) =>
    (await linesAfterFailure(membership, id, 'timeout')).map(({ system }) => system?.code);
  expect(await codeOf(hanging, hangingId)).toEqual(['timeout_no_sign_in']);
  expect(await codeOf(wrong, wrongId)).toEqual(['timeout_sign_in_refused']);
  for (const membership of [hanging, wrong]) await expectNothingLeft(membership);
  expect((await runsOf(hanging))[0]).toMatchObject({ exitCause: 'killed', stopReason: 'timeout' });
});

test('afterwards the invariants hold', async () => {
  await world.services.sweeper.runOnce();
  expect(await checkInvariants(world.services.database, { settled: true })).toEqual([]);
});
