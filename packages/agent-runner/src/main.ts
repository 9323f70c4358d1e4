import { loadDriver } from './drivers/load-driver.ts';
import { readLaunch } from './launch.ts';
import { runAgent } from './run-agent.ts';

// The driver is loaded before the launch line comes.
const [, , provider] = process.argv;
if (provider === 'builtin') void import('./drivers/builtin.ts');
if (provider === 'claude') void import('./drivers/claude/claude-driver.ts');

await runAgent({
  loadDriver,
  readLaunch: () => readLaunch(process.stdin),
  mcpUrl: process.env.AIZUCHI_MCP_URL,
});
