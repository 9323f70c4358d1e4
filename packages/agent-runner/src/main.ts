import type { Driver } from './driver.ts';
import { BuiltinDriver } from './drivers/builtin.ts';
import { LaunchError, readLaunch } from './launch.ts';
import { runAgent } from './run-agent.ts';

const provider = process.argv[2] ?? 'builtin';

function makeDriver(): Driver {
  if (provider === 'builtin') return new BuiltinDriver();
  throw new LaunchError(`This runner has no driver for the provider "${provider}".`);
}

await runAgent({ provider, makeDriver, readLaunch: () => readLaunch(process.env, process.stdin) });
