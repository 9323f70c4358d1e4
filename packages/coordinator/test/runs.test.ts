import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ScriptedRefusal } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  bundleCoordinator,
  COORDINATOR_TOKEN,
  CoordinatorHost,
  isAlive,
  newRunId,
  RUN_1,
  RUN_2,
  TICKET,
  until,
  untilGone,
} from './coordinator-host.ts';

/** Of a run nothing lives longer than this after its end. */
const END_MS = 10_000;
/** Twice the promised time of an end that a process ignores: the machine may be busy. */
const KILLED_WITHIN_MS = 2 * 8_000;
/** For so long a Coordinator that ends tries to report its runs (SHUTDOWN_GRACE_MS and REPORT_TIMEOUT_MS). */
const REPORTED_WITHIN_MS = 5_000;

let folder: string;
let main: string;
let host: CoordinatorHost;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-coordinator-'));
  main = await bundleCoordinator(folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  host = await CoordinatorHost.create(main);
});

afterEach(() => host.close());

function lastLine(): string {
  return host.stderr.trim().split('\n').at(-1) ?? '';
}

test('a run that ends at once is reported with its exit code and its last output', async () => {
  await host.start();
  host.give(RUN_1, 'exit-at-once.mjs', ['7']);
  const { args } = await host.exited(RUN_1);
  expect(args).toMatchObject({ exit_code: 7, signal: null, cause: 'crashed', stderr_tail: 'I give up' });
  const started = await host.started(RUN_1);
  expect(started.args).toMatchObject({ coordinator_id: 'coordinator-1', host: expect.any(String) });
  expect(started.args.boot_id).toBe((await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim());
  expect(started.args.start_ticks).toBeGreaterThan(0);
  expect(started.args.executor).toBe('process');
  const [beat] = host.server.callsOf('wait_for_agent_actions');
  expect(beat?.args.executor).toBe('process');
  expect(host.server.calls.every((call) => call.bearer === COORDINATOR_TOKEN)).toBe(true);
});

test('an agent that a signal ends is reported with that signal', async () => {
  await host.start();
  host.give(RUN_1, 'never-authenticates.mjs');
  process.kill(await host.pidOf(RUN_1), 'SIGKILL');
  expect((await host.exited(RUN_1)).args).toMatchObject({
    exit_code: null,
    signal: 'SIGKILL',
    cause: 'crashed',
  });
});

test('the heartbeat names a run while it lives, and not after its end is accepted', async () => {
  await host.start();
  host.give(RUN_1, 'never-authenticates.mjs');
  await host.server.waitForCall('wait_for_agent_actions', ({ args }) => String(args.running) === RUN_1);
  host.tellToStop(RUN_1);
  expect((await host.exited(RUN_1)).args).toMatchObject({ signal: 'SIGTERM', cause: 'killed' });
  const before = host.server.callsOf('wait_for_agent_actions').length;
  await host.server.waitForCall('wait_for_agent_actions', (call) => {
    const calls = host.server.callsOf('wait_for_agent_actions');
    return calls.indexOf(call) >= before && String(call.args.running) === '';
  });
});

test('trap 16: an agent that ignores SIGTERM is killed after five seconds', async () => {
  await host.start();
  host.give(RUN_1, 'ignores-sigterm.mjs');
  const pid = await host.pidOf(RUN_1);
  await host.says(RUN_1, /alive/);
  const acknowledgedAt = performance.now();
  host.tellToStop(RUN_1);
  expect((await host.exited(RUN_1)).args).toMatchObject({ signal: 'SIGKILL', cause: 'killed' });
  const tookMs = performance.now() - acknowledgedAt;
  expect(tookMs).toBeGreaterThan(4_500);
  expect(tookMs).toBeLessThan(KILLED_WITHIN_MS);
  expect(await isAlive(pid)).toBe(false);
  expect((await host.log(RUN_1)).match(/SIGTERM ignored/g)).toHaveLength(1);
});

test('trap 16: a grandchild in a session of its own does not live longer than an agent that ends', async () => {
  await host.start();
  host.give(RUN_1, 'leaves-grandchild.mjs', ['end']);
  const exited = await host.exited(RUN_1);
  expect(exited.args).toMatchObject({ exit_code: 0, cause: 'finished' });
  const [, pid] = await host.says(RUN_1, /grandchild (\d+)/);
  await untilGone(Number(pid), END_MS);
});

test('trap 16: stopping ends a grandchild in a session of its own too', async () => {
  await host.start();
  host.give(RUN_1, 'leaves-grandchild.mjs', ['stay']);
  const [, pid] = await host.says(RUN_1, /grandchild (\d+)/);
  host.tellToStop(RUN_1);
  await host.exited(RUN_1);
  await untilGone(Number(pid), END_MS);
});

test('a flood of output fills neither disk nor memory, and its end is kept', async () => {
  const { child } = await host.start();
  host.give(RUN_1, 'floods-output.mjs', ['100']);
  expect((await host.exited(RUN_1)).args).toMatchObject({ exit_code: 0 });
  const file = join(host.home, 'logs', 'runs', `${RUN_1}.log`);
  const { size, mode } = await stat(file);
  expect(size).toBeLessThan(2.5 * 1024 * 1024);
  expect(mode & 0o777).toBe(0o600);
  expect((await host.log(RUN_1)).endsWith('the last line\n')).toBe(true);
  const peak = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))?.[1];
  expect(Number(peak) / 1024).toBeLessThan(250);
});

test('trap 12: the environment is the minimal one; the ticket is in no log or report', async () => {
  await host.start({
    AIZUCHI_AGENT_ENV: 'FAVOURITE_COLOUR,DATABASE_URL,MODEL_API_KEY',
    FAVOURITE_COLOUR: 'blue',
    MODEL_API_KEY: 'model-key-for-tests',
    OTHER: 'x',
  });
  host.give(RUN_1, 'shows-what-it-got.mjs');
  const exited = await host.exited(RUN_1);
  const log = await host.log(RUN_1);
  const { env, cwd, uid } = JSON.parse(log.split('\n').find((line) => line.startsWith('{')) ?? '');
  expect(cwd).toBe(host.workingDirectory);
  expect(uid).not.toBe(0);
  expect(env).toMatchObject({
    FAVOURITE_COLOUR: 'blue',
    AIZUCHI_MCP_URL: host.server.url,
    AIZUCHI_AGENT_ID: 'agt_1',
    AIZUCHI_PROJECT_ID: 'prj_1',
    AIZUCHI_PURPOSE: 'chat',
    AIZUCHI_RUN_ID: RUN_1,
  });
  const allowed =
    /^(PATH|HOME|LANG|LC_ALL|TZ|TMPDIR|PWD|OLDPWD|_|SHLVL|USER|LOGNAME|FAVOURITE_COLOUR|MODEL_API_KEY|AIZUCHI_(MCP_URL|AGENT_ID|PROJECT_ID|PURPOSE|RUN_ID|PASSKEY))$/;
  expect(Object.keys(env).filter((name) => !allowed.test(name))).toEqual([]);
  // The fixture prints its passkey; it is unreadable in what is kept of the output.
  expect(env.AIZUCHI_PASSKEY).toBe('[hidden]');
  expect(env.MODEL_API_KEY).toBe('[hidden]');
  expect(exited.args.stderr_tail).toBe('my passkey is [hidden]');
  expect(log).not.toContain(TICKET);
  expect(host.stderr).not.toContain(TICKET);
  expect(JSON.stringify(host.server.calls)).not.toContain(TICKET);
});

test('trap 12: while a run lives its ticket is in no argument of any process', async () => {
  await host.start();
  host.give(RUN_1, 'never-authenticates.mjs');
  // It has its arguments, and not those of the guard that became it.
  await host.says(RUN_1, /alive/);
  const pid = await host.pidOf(RUN_1);
  const commands = new Map<string, string>();
  for (const entry of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)))
    commands.set(entry, await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => ''));
  expect(commands.get(String(pid))).toContain('never-authenticates.mjs');
  expect([...commands.values()].filter((command) => command.includes(TICKET))).toEqual([]);
});

test.each([
  [
    'a folder that is not there',
    { working_directory: '/nonexistent/folder' },
    /working directory .* does not exist/,
  ],
  [
    'a command that is not there',
    { command: { file: 'no-such-command', args: [] } },
    /no-such-command was not found/,
  ],
  ['no command', { command: undefined }, /no command/],
  [
    'an agent for containers only',
    { executor: 'docker' as const },
    /in a container only.*AIZUCHI_EXECUTOR=docker/,
  ],
])('%s: could not start, with a sentence that says what to do', async (_what, changes, sentence) => {
  await host.start();
  const { command: _, ...rest } = changes as { command?: undefined };
  host.give(
    RUN_1,
    'exit-at-once.mjs',
    [],
    'command' in changes ? { ...rest, command: changes.command } : changes,
  );
  const { args } = await host.exited(RUN_1);
  expect(args).toMatchObject({
    cause: 'could_not_start',
    exit_code: null,
    error: expect.stringMatching(sentence),
    // For each reader in its language.
    reason: { code: expect.stringMatching(/^[a-z_]+$/), params: expect.any(Object) },
  });
  expect(host.server.callsOf('report_process_started')).toHaveLength(0);
});

test('a command that this host does not allow is not run', async () => {
  await host.start({ COORDINATOR_ALLOWED_COMMANDS: 'claude' });
  host.give(RUN_1, 'exit-at-once.mjs');
  expect((await host.exited(RUN_1)).args).toMatchObject({
    cause: 'could_not_start',
    error: expect.stringContaining('COORDINATOR_ALLOWED_COMMANDS'),
    reason: { code: 'command_not_allowed', params: { file: process.execPath } },
  });
});

test('a Coordinator that is told to stop ends its runs, reports them, and exits within eight seconds', async () => {
  const { child } = await host.start();
  host.give(RUN_1, 'ignores-sigterm.mjs');
  host.give(RUN_2, 'never-authenticates.mjs');
  const pids = [await host.pidOf(RUN_1), await host.pidOf(RUN_2)];
  await host.says(RUN_1, /alive/);
  const acknowledgedAt = performance.now();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  const tookMs = performance.now() - acknowledgedAt;
  expect(tookMs).toBeLessThan(KILLED_WITHIN_MS);
  for (const pid of pids) expect(await isAlive(pid)).toBe(false);
  const left = () => readdir(join(host.home, 'run', 'agent-runs'));
  // What a busy server did not take in all this time the next Coordinator reports.
  if (tookMs >= REPORTED_WITHIN_MS && (await left()).length > 0) await host.start();
  for (const run of [RUN_1, RUN_2]) expect((await host.exited(run)).args).toMatchObject({ cause: 'killed' });
  await expect.poll(left).toEqual([]);
});

test('when the Coordinator is killed with -9 the guard ends the whole run', async () => {
  const { child } = await host.start();
  host.give(RUN_1, 'leaves-grandchild.mjs', ['stay']);
  const pid = await host.pidOf(RUN_1);
  const [, grandchild] = await host.says(RUN_1, /grandchild (\d+)/);
  child.kill('SIGKILL');
  await untilGone(pid);
  await untilGone(Number(grandchild));
});

test('the next Coordinator of the home ends and reports what a killed one left', async () => {
  const { child } = await host.start();
  host.give(RUN_1, 'ignores-sigterm.mjs');
  const pid = await host.pidOf(RUN_1);
  await host.says(RUN_1, /alive/);
  child.kill('SIGKILL');
  await untilGone(child.pid ?? 0);
  await host.start();
  expect((await host.exited(RUN_1)).args).toMatchObject({ cause: 'killed' });
  expect(await isAlive(pid)).toBe(false);
  // Its log names what it found and what is left.
  await expect.poll(() => host.stderr).toMatch(/"found":\[[\d,]*\],"left":\[\]/);
  await until(async () =>
    (await readdir(join(host.home, 'run', 'agent-runs'))).length === 0 ? true : undefined,
  );
});

test.each([
  ['empty', ''],
  ['half', `{"runId":"${RUN_1}","boo`],
])(
  'a journal file that is %s does not prevent the start, and its run is ended (I-8)',
  async (_what, text) => {
    const folder = join(host.home, 'run', 'agent-runs');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${RUN_1}.json`), text);
    // Without a guard, as when the guard was killed too. In a session of its own.
    const left = spawn('sh', ['-c', 'trap "" TERM; while :; do sleep 1; done'], {
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, AIZUCHI_RUN_ID: RUN_1 },
    });
    await host.start();
    expect((await host.exited(RUN_1)).args).toMatchObject({ cause: 'killed' });
    await untilGone(left.pid ?? 0);
    await until(async () => ((await readdir(folder)).includes(`${RUN_1}.json`) ? undefined : true));
    expect(await readdir(folder)).toEqual([
      expect.stringMatching(new RegExp(`^${RUN_1}\\.json\\.unreadable-`)),
    ]);
    await expect.poll(() => host.stderr).toContain('put aside');
  },
);

test('a run that lives in another kind of containers is neither reported as ended nor forgotten', async () => {
  const folder = join(host.home, 'run', 'agent-runs');
  await mkdir(folder, { recursive: true });
  const entry = JSON.stringify({ runId: RUN_1, bootId: 'boot', executor: 'swarm' });
  await writeFile(join(folder, `${RUN_1}.json`), entry);
  await expect(host.start()).rejects.toThrow(/start once with AIZUCHI_EXECUTOR=swarm/);
  expect(host.exitCode).toBe(2);
  expect(await readFile(join(folder, `${RUN_1}.json`), 'utf8')).toBe(entry);
  // Nor does it take a start that would work in the same folder.
  expect(host.server.calls).toEqual([]);
});

const takenSince = (lastSeenAt: () => string) => () => {
  throw new ScriptedRefusal('coordinator_id_taken', { host: 'other', last_seen_at: lastSeenAt() });
};

test('with the id of a live Coordinator it does not serve: one sentence, exit code 2', async () => {
  Object.assign(host.server.script, { wait_for_agent_actions: takenSince(randomUUID) });
  await expect(host.start()).rejects.toThrow(/coordinator_id_taken/);
  expect(host.exitCode).toBe(2);
  await expect.poll(lastLine).toContain('coordinator_id_taken');
  expect(host.server.callsOf('wait_for_agent_actions')).toHaveLength(2);
});

test('in a copy of a home whose id is taken, no run of its journal is ended or reported', async () => {
  const folder = join(host.home, 'run', 'agent-runs');
  await mkdir(folder, { recursive: true });
  const entry = JSON.stringify({ runId: RUN_1, bootId: 'boot' });
  await writeFile(join(folder, `${RUN_1}.json`), entry);
  Object.assign(host.server.script, { wait_for_agent_actions: takenSince(randomUUID) });
  await expect(host.start()).rejects.toThrow(/coordinator_id_taken/);
  expect(host.server.callsOf('report_process_exit')).toEqual([]);
  expect(await readFile(join(folder, `${RUN_1}.json`), 'utf8')).toBe(entry);
});

test('with the id of a silent Coordinator it waits until the id is free', async () => {
  const { wait_for_agent_actions: answer } = host.server.script;
  Object.assign(host.server.script, { wait_for_agent_actions: takenSince(() => 'then') });
  const starting = host.start();
  await until(() => (host.server.callsOf('wait_for_agent_actions').length >= 4 ? true : undefined));
  Object.assign(host.server.script, { wait_for_agent_actions: answer });
  await starting;
  host.give(RUN_1, 'exit-at-once.mjs', ['0']);
  expect((await host.exited(RUN_1)).args).toMatchObject({ cause: 'finished' });
});

test('when its id went to another one while it was frozen, it ends its runs and exits with code 2', async () => {
  const { child } = await host.start();
  host.give(RUN_1, 'never-authenticates.mjs');
  const pid = await host.pidOf(RUN_1);
  const ended = once(child, 'exit');
  Object.assign(host.server.script, { wait_for_agent_actions: takenSince(randomUUID) });
  expect(await ended).toEqual([2, null]);
  expect(await isAlive(pid)).toBe(false);
  expect((await host.exited(RUN_1)).args).toMatchObject({ cause: 'killed' });
  await expect.poll(lastLine).toContain('coordinator_id_taken');
});

test('a restart in the same home is the same Coordinator, also for its reports', async () => {
  const { child } = await host.start();
  child.kill('SIGTERM');
  await once(child, 'exit');
  await host.start();
  host.give(RUN_1, 'exit-at-once.mjs', ['0']);
  const started = await host.started(RUN_1);
  const asked = [
    ...host.server.callsOf('wait_for_agent_actions'),
    ...host.server.callsOf('get_agent_action'),
  ];
  const ids = new Set([...asked, started].map(({ args }) => args.instance_id));
  expect([...ids]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
});

test('a log line of the Coordinator names no secret', async () => {
  await host.start();
  host.give(RUN_1, 'exit-at-once.mjs');
  await host.exited(RUN_1);
  await until(() => (host.stderr.includes('run ended') ? true : undefined));
  expect(lastLine()).not.toContain(COORDINATOR_TOKEN);
  expect(host.stderr).not.toMatch(/coordinator-token-for-tests|internal-token-for-tests|llm-key-for-tests/);
});

test('as root, the own folder of a person is not given to the agent; the message names the command that does it', async () => {
  await host.start();
  await chmod(host.workingDirectory, 0o755);
  host.give(RUN_1, 'exit-at-once.mjs', ['0'], { working_directory_made: false });
  const { args } = await host.exited(RUN_1);
  if (process.getuid?.() === 0) {
    expect(args).toMatchObject({ cause: 'could_not_start', exit_code: null });
    expect(args.error).toContain(`'${host.workingDirectory}'`);
    expect(args.error).toMatch(/\.ai-pm' -prune -o -exec chown -h /);
  } else expect(args).toMatchObject({ cause: 'finished' });
});

test('with a link in the place of the folder, or an overlap, the run does not start and nothing is given away', async () => {
  await host.start();
  const elsewhere = join(host.home, '..', 'elsewhere');
  await mkdir(elsewhere);
  await rename(host.workingDirectory, `${host.workingDirectory}-away`);
  await symlink(elsewhere, host.workingDirectory);
  host.give(RUN_1, 'shows-what-it-got.mjs');
  expect((await host.exited(RUN_1)).args).toMatchObject({
    cause: 'could_not_start',
    error: expect.stringContaining('has become a link'),
  });
  await rm(host.workingDirectory);
  await rename(`${host.workingDirectory}-away`, host.workingDirectory);
  host.give(RUN_2, 'shows-what-it-got.mjs', [], { working_directory_overlaps: true });
  expect((await host.exited(RUN_2)).args).toMatchObject({
    cause: 'could_not_start',
    error: expect.stringContaining('one lies inside the other'),
  });
  const ours = process.getuid?.();
  expect((await stat(elsewhere)).uid).toBe(ours);
  expect((await stat(host.workingDirectory)).uid).toBe(ours);
});

test('trap 30: a folder that is replaced by a link again and again leads no run elsewhere', async () => {
  const isRoot = process.getuid?.() === 0;
  const place = join(host.workingDirectory, 'place');
  const elsewhere = join(host.home, '..', 'elsewhere');
  await mkdir(place);
  await mkdir(elsewhere);
  // Open to a process that is led there.
  await chmod(elsewhere, 0o777);
  if (isRoot) for (const path of [place, host.workingDirectory]) await chown(path, 65_534, 65_534);
  await host.start();
  const intruder = spawn(process.execPath, ['-e', EXCHANGE, place, elsewhere], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(isRoot && { uid: 65_534, gid: 65_534 }),
  });
  const ended = once(intruder, 'exit');
  await once(intruder.stdout, 'data');
  const causes = new Set<unknown>();
  for (let number = 0; number < 12; number += 1) {
    const run = newRunId();
    host.give(run, 'shows-what-it-got.mjs', [], {
      working_directory: place,
      working_directory_made: true,
    });
    causes.add((await host.exited(run)).args.cause);
    expect(await host.log(run)).not.toContain(`"cwd":"${elsewhere}"`);
  }
  intruder.stdin.end();
  expect(await ended).toEqual([0, null]);
  expect((await stat(elsewhere)).uid).toBe(process.getuid?.());
  expect([...causes].filter((cause) => cause !== 'finished' && cause !== 'could_not_start')).toEqual([]);
});

/** Replaces a folder by a link and back, until its stdin ends; at the end the folder is there. */
const EXCHANGE = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
const [place, target] = process.argv.slice(1);
let ends = false;
process.stdin.on('end', () => { ends = true; }).resume();
const linger = () => { const end = performance.now() + 2 * Math.random(); while (performance.now() < end); };
(function round() {
  for (let count = 0; count < 10; count += 1) {
    renameSync(place, place + '-held');
    symlinkSync(target, place);
    linger();
    unlinkSync(place);
    renameSync(place + '-held', place);
    linger();
  }
  process.stdout.write('.');
  if (!ends) setImmediate(round);
})();
`;

test('the built-in agent touches no file: it starts in the own folder of a person too', async () => {
  await host.start();
  await chmod(host.workingDirectory, 0o700);
  host.give(RUN_1, '', [], { provider: 'builtin', command: undefined, working_directory_made: false });
  const { args } = await host.exited(RUN_1);
  expect(args).not.toMatchObject({ cause: 'could_not_start' });
});

test('a report waits while the server is away: the start before the end', async () => {
  await host.start();
  host.give(RUN_1, 'never-authenticates.mjs');
  const pid = await host.pidOf(RUN_1);
  await host.server.crash();
  process.kill(pid, 'SIGKILL');
  await untilGone(pid);
  await host.server.start();
  await host.exited(RUN_1);
  const reports = host.server.calls.filter(({ tool }) => tool.startsWith('report_process'));
  // The answer to the first report may have been lost with the server: then it is sent again, but never after
  // the end.
  expect([...new Set(reports.map(({ tool }) => tool))]).toEqual([
    'report_process_started',
    'report_process_exit',
  ]);
  expect(reports.at(-1)?.tool).toBe('report_process_exit');
});

test('a run that the server has given up is ended, and its end is reported once only', async () => {
  const lost = () => {
    throw new ScriptedRefusal('run_lost');
  };
  Object.assign(host.server.script, { report_process_started: lost, report_process_exit: lost });
  await host.start();
  host.give(RUN_1, 'never-authenticates.mjs');
  const pid = await host.pidOf(RUN_1);
  await untilGone(pid);
  await host.exited(RUN_1);
  await host.server.waitForCall('wait_for_agent_actions', ({ args }) => String(args.running) === RUN_1);
  await until(async () =>
    (await readdir(join(host.home, 'run', 'agent-runs'))).length === 0 ? true : undefined,
  );
  expect(host.server.callsOf('report_process_exit')).toHaveLength(1);
});

test('the built-in agent signs in by itself with the ticket from stdin', async () => {
  const script = fileURLToPath(new URL('../../agent-runner/bundle.mjs', import.meta.url));
  await promisify(execFile)(process.execPath, [script, folder]);
  await chmod(folder, 0o755);
  Object.assign(host.server.script, {
    authenticate: () => ({ success: true, purpose: 'chat', agent_name: 'Aiko', instruction: '' }),
    get_next_action: () => ({
      action: 'exit',
      reason: 'user_closed_chat',
      instruction: '',
      state: 'terminating',
    }),
    logout: () => ({ success: true, instruction: '' }),
  });
  await host.start({ AIZUCHI_RUNNER_BUNDLE: join(folder, 'runner.mjs') });
  host.give(RUN_1, '', [], { provider: 'builtin', command: undefined });
  expect((await host.exited(RUN_1)).args).toMatchObject({ exit_code: 0, cause: 'finished' });
  expect((await host.server.waitForCall('authenticate')).bearer).toBe(TICKET);
});

test('its health server reports liveness, readiness and metrics', async () => {
  const { url, child } = await host.start();
  expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({
    service: 'coordinator',
    pid: child.pid,
  });
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain(
    'aizuchi_coordinator_runs{state="running"} 0',
  );
  await host.server.crash();
  const away = await fetch(`${url}/readyz`);
  expect(away.status).toBe(503);
  expect(away.headers.get('retry-after')).toBe('1');
});
