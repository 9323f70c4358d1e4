import { ReceiptBook } from '@aizuchi/shared/mcp-client/receipt-book';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { AgentLoop, RUNNER_EXIT } from './agent-loop.ts';
import type { Driver } from './driver.ts';
import { BuiltinDriver } from './drivers/builtin.ts';
import { LaunchError, readLaunch } from './launch.ts';

/** stderr goes to the run's log, where a person looks when an agent fails. */
function log(sentence: string): void {
  process.stderr.write(`${new Date().toISOString()} ${sentence}\n`);
}

function driverFor(provider: string | undefined): Driver {
  if (provider === undefined || provider === 'builtin') return new BuiltinDriver();
  throw new LaunchError(`This runner has no driver for the provider "${provider}".`);
}

async function main(): Promise<number> {
  const driver = driverFor(process.argv[2]);
  const launch = await readLaunch(process.env, process.stdin);
  const client = new ToolClient({
    url: launch.mcpUrl,
    token: launch.ticket,
    name: 'aizuchi-agent-runner',
    version: '0.1.0',
    receipts: new ReceiptBook(),
  });
  return new AgentLoop({ client, driver, agentId: launch.agentId, log }).run();
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    log(
      error instanceof LaunchError
        ? error.message
        : `failed: ${error instanceof Error ? error.stack : error}`,
    );
    process.exit(error instanceof LaunchError ? RUNNER_EXIT.launch : RUNNER_EXIT.failed);
  },
);
