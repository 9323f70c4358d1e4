import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { bundleCoordinator, CoordinatorHost, RUN_1, RUN_2, TICKET } from './coordinator-host.ts';
import { moveIn, worldsOfThisHost } from './worlds.ts';

/* Rows 7 and 19 of the probe: what a program that is started as an agent can reach. */

const worlds = (await worldsOfThisHost()).filter(({ name }) => /as it is|ordinary/.test(name));

let folder: string;
let main: string;
let host: CoordinatorHost;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-coordinator-'));
  await chmod(folder, 0o755);
  main = await bundleCoordinator(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  host = await CoordinatorHost.create(main);
});
afterEach(() => host.close());

test.each(worlds)(
  'in the world "$name" a built-in agent keeps its ticket secret as far as documented',
  async (world) => {
    await moveIn(host, world);
    const script = fileURLToPath(new URL('../../agent-runner/bundle.mjs', import.meta.url));
    await promisify(execFile)(process.execPath, [script, folder]);
    Object.assign(host.server.script, {
      authenticate: () => ({ success: true, purpose: 'chat', agent_name: 'Aiko', instruction: '' }),
      get_next_action: () => new Promise(() => undefined),
      logout: () => ({ success: true, instruction: '' }),
    });
    await host.start({ AIZUCHI_RUNNER_BUNDLE: join(folder, 'runner.mjs') }, world.prefix);
    host.give(RUN_1, '', [], { provider: 'builtin', command: undefined });
    const pid = await host.pidOf(RUN_1);
    expect((await host.server.waitForCall('authenticate')).bearer).toBe(TICKET);

    host.give(RUN_2, 'reads-others.mjs', [String(pid)]);
    await host.exited(RUN_2);
    const found: unknown = JSON.parse((await host.log(RUN_2)).trim());
    // Processes of one account can inspect one another; whether they can read memory depends on
    // kernel.yama.ptrace_scope.
    if (world.isRoot)
      expect(found).toEqual({ environ: 'EACCES', mem: 'EACCES', maps: 'EACCES', signal: 'EPERM' });
    else expect(found).toMatchObject({ environ: 'done', signal: 'done' });
    // It is still the same as before the inspection.
    expect(await readFile(`/proc/${pid}/cmdline`, 'utf8')).toContain('builtin');
  },
);

test('the agent does not have a descriptor that the shell before us had open', async () => {
  await host.start({}, ['bash', '-c', 'exec 5</etc/hostname 100</etc/hostname; exec "$@"', 'bash']);
  host.give(RUN_1, '', [], { command: { file: '/bin/ls', args: ['/proc/self/fd'] } });
  expect((await host.exited(RUN_1)).args).toMatchObject({ cause: 'finished' });
  // The last one is that of the listing.
  expect((await host.log(RUN_1)).trim().split('\n')).toEqual(['0', '1', '2', '3']);
});
