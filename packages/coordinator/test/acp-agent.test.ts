import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AgentAction } from '@aizuchi/shared/contract/tools/coordinator-tools';
import type { ToolScript } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findRunProcesses } from '../src/process/run-processes.ts';
import { bundleCoordinator, CoordinatorHost, RUN_1, RUN_2, TICKET, until } from './coordinator-host.ts';

/* Provider `acp`: the Coordinator starts our bundled runner, which starts the program of the agent. */

const AGENT = fileURLToPath(new URL('../../../tests/fixtures/agents/acp-agent.ts', import.meta.url));

let folder: string;
let main: string;
let host: CoordinatorHost;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-acp-run-'));
  const bundle = fileURLToPath(new URL('../../agent-runner/bundle.mjs', import.meta.url));
  await promisify(execFile)(process.execPath, [bundle, folder]);
  main = await bundleCoordinator(folder);
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  host = await CoordinatorHost.create(main);
});
afterEach(() => host.close());

/** A session with one message, which then waits. */
function chatWith(content: string): ToolScript {
  const common = { instruction: '', state: 'active' as const };
  let isFirst = true;
  return {
    authenticate: () => ({ success: true, purpose: 'chat', agent_name: 'Aiko', instruction: '' }),
    get_next_action: () => {
      if (!isFirst) return new Promise(() => undefined);
      isFirst = false;
      return { action: 'get_pending_messages', ...common };
    },
    get_pending_messages: () => ({
      batch_id: 'bat_1',
      source: { kind: 'chat' },
      context_messages: [],
      pending_messages: [
        {
          id: 'msg_1',
          projectId: 'prj_1',
          senderId: 'user',
          senderName: 'Owner',
          sender: 'user',
          content,
          createdAt: '2026-01-01T00:00:00.000Z',
          visible: true,
          state: 'delivered',
          seq: 1,
        },
      ],
      total_history_count: 1,
      context_truncated: false,
      instruction: '',
    }),
    respond_chat: () => ({ success: true, answered_count: 1, instruction: '' }),
    report_delta: () => ({ control: null }),
    heartbeat: () => ({ control: null }),
    logout: () => ({ success: true, instruction: '' }),
  };
}

const acp = (file: string, args: string[] = []): Partial<AgentAction> => ({
  provider: 'acp',
  command: { file, args },
});

async function start(content: string, env: Record<string, string> = {}): Promise<void> {
  Object.assign(host.server.script, chatWith(content));
  await host.start({ AIZUCHI_RUNNER_BUNDLE: join(folder, 'runner.mjs'), ...env });
}

async function answer(): Promise<unknown> {
  return (await host.server.waitForCall('respond_chat')).args.content;
}

test('the program answers; the ticket is in no argument; all processes end with the run', async () => {
  await start('script:[{"say":"Hello from "},{"variable":"AIZUCHI_RUN_ID"},{"variable":"AIZUCHI_PASSKEY"}]');
  host.give(RUN_1, '', [], acp(process.execPath, [AGENT, host.workingDirectory]));
  expect(await answer()).toBe(`Hello from AIZUCHI_RUN_ID=${RUN_1}AIZUCHI_PASSKEY=`);
  const pids = (await findRunProcesses({ traceId: RUN_1 })).map(({ pid }) => pid);
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')));
  expect(lines.some((line) => line.includes('acp-agent.ts'))).toBe(true);
  expect(lines.join('\n')).not.toContain(TICKET);
  host.tellToStop(RUN_1);
  await host.exited(RUN_1);
  await until(async () => ((await findRunProcesses({ traceId: RUN_1 })).length === 0 ? true : undefined));
});

test('a command that this host does not allow ends the run before it begins', async () => {
  await start('Hello', { COORDINATOR_ALLOWED_COMMANDS: 'gemini' });
  host.give(RUN_1, '', [], acp('codex-acp'));
  const { args } = await host.exited(RUN_1);
  expect(args).toMatchObject({ error: expect.stringMatching(/codex-acp .*COORDINATOR_ALLOWED_COMMANDS/) });
});

test('a name is looked for in PATH', async () => {
  await start('script:[{"say":"Found."}]', { PATH: `${folder}:${process.env.PATH}` });
  const program = join(folder, 'scripted-acp');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${AGENT}' "$@"\n`);
  await chmod(program, 0o755);
  host.give(RUN_1, '', [], acp('scripted-acp', [host.workingDirectory]));
  expect(await answer()).toBe('Found.');
  host.give(RUN_2, '', [], acp('no-such-agent'));
  expect((await host.exited(RUN_2)).args).toMatchObject({
    error: expect.stringMatching(/no-such-agent was not found/),
  });
});

test('a program that ends at its start: the person reads why, and the run goes on', async () => {
  await start('Hello');
  host.give(RUN_1, '', [], acp(process.execPath, [AGENT, host.workingDirectory, '{"start":"ends"}']));
  const { failure } = (await host.server.waitForCall('respond_chat')).args;
  expect(failure).toMatch(/ended as soon as it was started \(exit code 2\): no such option: --acp/);
  await host.says(RUN_1, /agent: no such option: --acp/);
});
