import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  bundleCoordinator,
  CoordinatorHost,
  isAlive,
  RUN_1,
  TICKET,
  until,
  untilGone,
} from './coordinator-host.ts';

let folder: string;
let bundle: string;
let main: string;
let host: CoordinatorHost;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-coordinator-'));
  await chmod(folder, 0o755);
  main = await bundleCoordinator(folder);
  bundle = join(folder, 'runner.mjs');
  const script = fileURLToPath(new URL('../../agent-runner/bundle.mjs', import.meta.url));
  await promisify(execFile)(process.execPath, [script, folder]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  host = await CoordinatorHost.create(main, {
    authenticate: () => ({ success: true, purpose: 'chat', agent_name: 'Aiko', instruction: '' }),
    get_next_action: () => new Promise(() => undefined),
    logout: () => ({ success: true, instruction: '' }),
  });
});
afterEach(() => host.close());

const start = (env: Record<string, string> = {}) =>
  host.start({ AIZUCHI_RUNNER_BUNDLE: bundle, COORDINATOR_SPARE_RUNNERS: '1', ...env });

const giveRun = (changes = {}) =>
  host.give(RUN_1, '', [], { provider: 'builtin', command: undefined, ...changes });

/** The runners of this host that wait, by their environment. */
async function spares(): Promise<{ pid: number; environment: string }[]> {
  const found: { pid: number; environment: string }[] = [];
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    const isOurs = environment.includes(`AIZUCHI_MCP_URL=${host.server.url}\0`);
    // The guard is a shell until it becomes the runner.
    const command = isOurs ? await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '') : '';
    if (
      environment.includes('AIZUCHI_RUN_ID=spare_') &&
      command.includes('runner.mjs\0builtin') &&
      !command.includes('aizuchi-guard')
    )
      found.push({ pid: Number(name), environment });
  }
  return found;
}

const oneSpare = (besides?: number) =>
  until(async () => {
    const others = (await spares()).filter(({ pid }) => pid !== besides);
    return others.length === 1 ? others[0] : undefined;
  });

test('a run of the built-in agent takes the spare, and another is started', async () => {
  const { url } = await start();
  const { pid, environment } = await oneSpare();
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('aizuchi_coordinator_spare_runners 1');
  expect(host.server.callsOf('authenticate')).toEqual([]);
  expect(environment).not.toMatch(/TICKET|PASSKEY|TOKEN|AGENT_ID|PROJECT_ID|DATABASE/);

  giveRun();
  expect(await host.pidOf(RUN_1)).toBe(pid);
  expect((await host.server.waitForCall('authenticate')).bearer).toBe(TICKET);
  expect((await oneSpare(pid)).pid).not.toBe(pid);

  host.tellToStop(RUN_1);
  expect((await host.exited(RUN_1)).args).toMatchObject({ cause: 'killed' });
  expect(await isAlive(pid)).toBe(false);
  expect(host.server.callsOf('report_process_started')).toHaveLength(1);
});

test('a spare has no key that agents are given, whatever runs in it later', async () => {
  const ca = join(folder, 'ca.pem');
  await start({
    AIZUCHI_AGENT_ENV: 'X_API_KEY,NODE_EXTRA_CA_CERTS',
    X_API_KEY: 'key-for-tests',
    NODE_EXTRA_CA_CERTS: ca,
  });
  const { environment } = await oneSpare();
  expect(environment).not.toMatch(/X_API_KEY|key-for-tests/);
  // Without it a runner could not connect to a server with a certificate of its own.
  expect(environment).toContain(`NODE_EXTRA_CA_CERTS=${ca}\0`);
});

test('where Node itself uses a proxy, whose address may hold a password, runs do not take the spare', async () => {
  await start({ AIZUCHI_AGENT_ENV: 'NODE_USE_ENV_PROXY', NODE_USE_ENV_PROXY: '1' });
  const { pid } = await oneSpare();
  giveRun();
  expect(await host.pidOf(RUN_1)).not.toBe(pid);
});

test('a run that could not start leaves the spare to the next', async () => {
  await start();
  const { pid } = await oneSpare();
  giveRun({ working_directory: '/nonexistent/folder' });
  expect((await host.exited(RUN_1)).args).toMatchObject({ cause: 'could_not_start' });
  expect((await spares()).map((spare) => spare.pid)).toEqual([pid]);
});

test('after an update the run has a new process, and the old spare ends', async () => {
  await start();
  const { pid } = await oneSpare();
  await utimes(bundle, new Date(), new Date());
  giveRun();
  expect(await host.pidOf(RUN_1)).not.toBe(pid);
  await untilGone(pid);
});

test('a spare that ended does not fail the run', async () => {
  await start();
  const { pid } = await oneSpare();
  process.kill(pid, 'SIGKILL');
  // A signal takes effect when the kernel runs the process next, on a busy host after the run was given.
  await untilGone(pid);
  giveRun();
  expect(await host.pidOf(RUN_1)).not.toBe(pid);
  expect((await host.server.waitForCall('authenticate')).bearer).toBe(TICKET);
});

test.each(['SIGTERM', 'SIGKILL'] as const)('it ends with its Coordinator (%s)', async (signal) => {
  const { child } = await start();
  const { pid } = await oneSpare();
  child.kill(signal);
  await untilGone(pid);
});

test('a run in a spare survives as an entry of the journal: the next Coordinator ends and reports it', async () => {
  const { child } = await start();
  const { pid } = await oneSpare();
  giveRun();
  expect(await host.pidOf(RUN_1)).toBe(pid);
  await host.server.waitForCall('authenticate');
  child.kill('SIGKILL');
  await until(() => (child.signalCode === null ? undefined : true));
  await start({ COORDINATOR_SPARE_RUNNERS: '0' });
  expect((await host.exited(RUN_1)).args).toMatchObject({ cause: 'killed' });
  expect(await isAlive(pid)).toBe(false);
});

test('other providers have processes of their own, and 0 keeps none', async () => {
  await start({ COORDINATOR_SPARE_RUNNERS: '0' });
  host.give(RUN_1, 'never-authenticates.mjs');
  await host.pidOf(RUN_1);
  expect(await spares()).toEqual([]);
});

test('without a bundle it waits instead of looking for one all the time', async () => {
  const startedAt = performance.now();
  const { child } = await start({ AIZUCHI_RUNNER_BUNDLE: join(folder, 'not-there.mjs') });
  await until(() => (/no bundle of the runner/.test(host.stderr) ? true : undefined));
  host.give(RUN_1, 'exit-at-once.mjs');
  await host.exited(RUN_1);
  const said = host.stderr.match(/no bundle of the runner/g)?.length;
  // It looks again after five seconds, which all of this may take on a busy machine.
  expect(said).toBeLessThanOrEqual(1 + Math.floor((performance.now() - startedAt) / 5_000));
  expect(child.exitCode).toBe(null);
});
