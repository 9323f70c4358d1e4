import { accessSync, constants } from 'node:fs';
import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AgentSessionView, agentSessionsSchema, type Message } from '@aizuchi/shared/contract/chat';
import { type Run, runPageSchema } from '@aizuchi/shared/contract/run';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { KillWorld } from '../kill/kill-support.ts';
import { until } from '../start/product-process.ts';
import { Board } from '../tasks/task-world.ts';

/*
 * examples/agent.py as docs/providers.md describes it: a program in another language, without a library of ours or of
 * anybody else, started by the product.
 */

let world: KillWorld;
let program: string;
beforeAll(async () => {
  world = await KillWorld.start();
  // The account of agents may not be able to read the checkout.
  const folder = join(world.home, '..', 'examples');
  await mkdir(folder);
  program = join(folder, 'agent.py');
  await copyFile(fileURLToPath(new URL('../../../examples/agent.py', import.meta.url)), program);
  for (const path of [folder, program]) await chmod(path, 0o755);
});
afterAll(async () => {
  expect(await world.product.stop()).toBe(true);
});

/** Python of the system: one that an account installed for itself cannot be run by the account of agents. */
function python(): string {
  const file = '/usr/bin/python3';
  try {
    accessSync(file, constants.X_OK);
  } catch {
    throw new Error(`This test runs the example in Python: ${file} is missing.`);
  }
  return file;
}

async function makeAgent(name: string, mode: 'resident' | 'per_work', ...args: string[]) {
  const membership = await world.makeAgent(name, {
    provider: 'command',
    command: { file: python(), args: [program, ...args], mode },
  });
  const { projectId, agentId } = membership;
  const chat = `/projects/${projectId}/agents/${agentId}/chat`;
  let written = 0;
  return {
    start: async () =>
      z
        .object({ status: z.string() })
        .parse(await world.call('POST', `${chat}/start`, { viewerId: 'example' })).status,
    end: () => world.call('POST', `${chat}/end`, { viewerId: 'example' }),
    write: (content: string) => {
      written += 1;
      return world.write(membership, content, `m${written}`);
    },
    answered: (id: string) => world.answered(membership, id),
    said: async (sender: Message['sender']) =>
      (await world.messages(membership)).filter((one) => one.sender === sender).map(({ content }) => content),
    session: async (): Promise<AgentSessionView | undefined> =>
      agentSessionsSchema.parse(await world.call('GET', `/projects/${projectId}/agent-sessions`))
        .agentSessions[agentId],
    runs: async (): Promise<Run[]> =>
      runPageSchema.parse(await world.call('GET', `/projects/${projectId}/runs`)).runs,
    wakeUps: () => world.call('GET', `/projects/${projectId}/pending-purposes`),
  };
}

const ends = (runs: readonly Run[]) => runs.map(({ exitCause, exitCode }) => ({ exitCause, exitCode }));
const WELL = { exitCause: 'finished', exitCode: 0 };

it('resident: one process signs in, waits, answers several messages and leaves when the chat is closed', async () => {
  const agent = await makeAgent('resident', 'resident');
  expect(await agent.start()).toBe('started');
  await until(async () => (await agent.session())?.chat === 1);
  for (const content of ['first', 'second']) await agent.answered((await agent.write(content)).id);
  expect(await agent.said('agent')).toEqual(['You wrote: first', 'You wrote: second']);
  await agent.end();
  await until(async () => (await agent.runs()).every(({ state }) => state === 'exited'));
  expect(ends(await agent.runs())).toEqual([WELL]);
});

it.each([
  ['resident', []],
  ['per_work', ['--per-work']],
] as const)('%s: a task starts a process of its own, which reports it and leaves', async (mode, args) => {
  const name = `tasked-${mode.replace('_', '-')}`;
  const agent = await makeAgent(name, mode, ...args);
  const board = new Board((method, path, body) => world.call(method, path, body));
  const assignee = { projectId: `prj_${name}`, agentId: `agt_${name}` };
  const task = await board.add(assignee, { title: 'Paint it' });
  await board.move(task, 'in_progress');
  await board.untilStatus(task, 'done');
  expect(await board.comments(task)).toEqual(['You asked for: Paint it']);
  await board.untilAllExited(assignee);
  expect(ends(await agent.runs())).toEqual([WELL]);
});

it('per_work: nothing runs while nobody writes; each message starts a process that answers and ends', async () => {
  const agent = await makeAgent('per-work', 'per_work', '--per-work');
  expect(await agent.start()).toBe('already_active');
  expect(await agent.session()).toMatchObject({ chatStatus: 'none', reason: 'starts_with_message' });
  expect(await agent.wakeUps()).toEqual({ pendingPurposes: [] });
  expect(await agent.runs()).toEqual([]);

  for (const [index, content] of ['first', 'second'].entries()) {
    await agent.answered((await agent.write(content)).id);
    await until(async () => (await agent.runs()).every(({ state }) => state === 'exited'));
    expect(await agent.runs()).toHaveLength(index + 1);
  }
  expect(ends(await agent.runs())).toEqual([WELL, WELL]);
  expect(await agent.said('agent')).toEqual(['You wrote: first', 'You wrote: second']);
  expect(await agent.said('system')).toEqual([]);
  expect(await agent.session()).toMatchObject({ chat: 0, reason: 'starts_with_message' });
  expect(await agent.wakeUps()).toEqual({ pendingPurposes: [] });
});

it('per_work: messages that come while its processes end are all answered', async () => {
  const agent = await makeAgent('busy', 'per_work', '--per-work');
  const written: Message[] = [];
  for (let number = 1; number <= 8; number += 1) {
    const message = await agent.write(`number ${number}`);
    written.push(message);
    // Every other one is written at the moment at which a process has answered, and is about to end.
    if (number % 2 === 0) await agent.answered(message.id);
  }
  for (const { id } of written) await agent.answered(id);
  await until(async () => (await agent.runs()).every(({ state }) => state === 'exited'));
  const found = await agent.runs();
  expect(ends(found)).toEqual(found.map(() => WELL));
  expect(await agent.said('system')).toEqual([]);
});
