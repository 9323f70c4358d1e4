import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RunningServer } from '../../packages/mcp-server/src/testing/mcp-world.ts';
import { COORDINATOR_TOKEN } from '../../packages/mcp-server/src/testing/test-app.ts';

/** A Coordinator in a process of its own, once it has asked the server for the first time. */
export async function startCoordinator(
  bundle: string,
  { mcpUrl }: Pick<RunningServer, 'mcpUrl'>,
  { id, home }: { id: string; home: string },
): Promise<{ stop(): Promise<void> }> {
  const coordinator: ChildProcess = spawn(process.execPath, [bundle], {
    env: {
      PATH: process.env.PATH,
      AIZUCHI_HOME: home,
      AIZUCHI_MCP_URL: mcpUrl,
      AIZUCHI_LOCALE: 'ja',
      MCP_COORDINATOR_TOKEN: COORDINATOR_TOKEN,
      COORDINATOR_ID: id,
      COORDINATOR_PORT: '0',
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  await once(coordinator, 'message');
  return {
    stop: async () => {
      const ended = once(coordinator, 'exit');
      coordinator.kill('SIGTERM');
      await ended;
    },
  };
}
