import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AgentAction } from '@aizuchi/shared/contract/tools/coordinator-tools';
import {
  type RecordedCall,
  ScriptedMcpServer,
  type ToolScript,
} from '@aizuchi/shared/testing/scripted-mcp-server';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { build } from 'esbuild';
import { readStat } from '../src/process/proc-table.ts';

/** A search may read all of /proc: if it were done more often, the tests would spend their time on it. */
const POLL_MS = 60;

export const COORDINATOR_TOKEN = 'coordinator-token-for-tests';
export const TICKET = 'launch-ticket-for-tests-0123456789';

const SOURCE = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../../../tests/fixtures/agents/', import.meta.url));

/**
 * The Coordinator in a form that node can run without a build of the workspace. What it loads only in some cases stands
 * in files of its own: reading and compiling all of it was two fifths of the CPU time of a start.
 */
export async function bundleCoordinator(folder: string): Promise<string> {
  await build({
    entryPoints: { coordinator: SOURCE },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    conditions: ['source'],
    banner: {
      js: "import { createRequire as r } from 'node:module';const require = r(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;",
    },
  });
  return join(folder, 'coordinator.mjs');
}

/** Waits for a condition outside of this process; the time that it takes depends on the machine. */
export async function until<T>(
  look: () => Promise<T | undefined> | T | undefined,
  timeoutMs = LONG_TIMEOUT_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${look.toString()}`);
    await delay(POLL_MS);
  }
}

export async function isAlive(pid: number): Promise<boolean> {
  const stat = await readStat(pid);
  return stat !== undefined && !stat.isZombie;
}

export async function untilGone(pid: number, timeoutMs?: number): Promise<void> {
  await until(async () => ((await isAlive(pid)) ? undefined : true), timeoutMs);
}

/**
 * Where no better method exists, runs are searched for by their ids on the whole host: test files that run at
 * the same time must not use the same id.
 */
const ofThisFile = `run_${process.pid}_${randomInt(10 ** 9)}`;
export const RUN_1 = `${ofThisFile}_1`;
export const RUN_2 = `${ofThisFile}_2`;

/** For a test whose keeper may still search for its run while the next test begins. */
export function newRunId(): string {
  return `${ofThisFile}_${randomInt(10 ** 9)}`;
}

/** A real Coordinator process with its home, and a scripted server that gives it what a test queues. */
export class CoordinatorHost {
  readonly home: string;
  readonly workingDirectory: string;
  readonly server: ScriptedMcpServer;
  readonly #main: string;
  readonly #starts: AgentAction[] = [];
  readonly #stops = new Set<string>();
  readonly #children: ChildProcess[] = [];
  #stderr = '';
  #wake: () => void = () => undefined;

  private constructor(folder: string, main: string, script: ToolScript) {
    this.#main = main;
    this.home = join(folder, 'home');
    this.workingDirectory = join(folder, 'work');
    this.server = new ScriptedMcpServer({
      health_check: () => ({ status: 'ok', server_time: '', version: '' }),
      wait_for_agent_actions: async ({ hold_seconds: holdSeconds = 0 }) => {
        if (holdSeconds > 0 && this.#starts.length === 0 && this.#stops.size === 0)
          await this.#somethingToDo();
        const stop = [...this.#stops].map((run_id) => ({ run_id, reason: 'run_stopped' }));
        this.#stops.clear();
        return { pairs: this.#starts.length > 0 ? [{ agent_id: 'agt_1', project_id: 'prj_1' }] : [], stop };
      },
      get_agent_action: () => this.#starts.shift() ?? { action: 'hold', reason: 'no_pending_work' },
      report_process_started: () => ({ accepted: true }),
      report_process_exit: () => ({ accepted: true }),
      report_agent_error: () => ({ accepted: true }),
      ...script,
    });
  }

  static async create(main: string, script: ToolScript = {}): Promise<CoordinatorHost> {
    const folder = await mkdtemp(join(tmpdir(), 'aizuchi-coordinator-'));
    // When the test is root, agents have another account and must be able to enter their working directory.
    await chmod(folder, 0o755);
    const host = new CoordinatorHost(folder, main, script);
    await mkdir(host.home);
    await mkdir(host.workingDirectory);
    await host.server.start();
    return host;
  }

  /** Starts the Coordinator (again), by `world` when given; `url` is the address of its health server. */
  async start(
    env: Record<string, string> = {},
    world: readonly string[] = [],
  ): Promise<{ child: ChildProcess; url: string }> {
    const [file = '', ...args] = [...world, process.execPath, this.#main];
    const child = spawn(file, args, {
      env: {
        PATH: process.env.PATH,
        LANG: 'C.UTF-8',
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        AIZUCHI_HOME: this.home,
        AIZUCHI_MCP_URL: this.server.url,
        AIZUCHI_LOCALE: 'en',
        MCP_COORDINATOR_TOKEN: COORDINATOR_TOKEN,
        COORDINATOR_ID: 'coordinator-1',
        COORDINATOR_PORT: '0',
        COORDINATOR_SPARE_RUNNERS: '0',
        DATABASE_URL: 'postgres://secret@localhost/x',
        AIZUCHI_INTERNAL_TOKEN: 'internal-token-for-tests',
        LLM_API_KEY: 'llm-key-for-tests',
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#children.push(child);
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
    // At its exit the last lines of its stderr may not be read yet.
    const ended = once(child, 'close').then(() => {
      throw new Error(`the Coordinator ended: ${this.#stderr}`);
    });
    const [message]: { url: string }[] = await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => undefined);
    return { child, url: message?.url ?? '' };
  }

  /** Of the Coordinator that was started last. */
  get exitCode(): number | null | undefined {
    return this.#children.at(-1)?.exitCode;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** The next start that the server gives: provider `command` with one of our fixture agents. */
  give(runId: string, fixture: string, args: string[] = [], changes: Partial<AgentAction> = {}): void {
    this.#starts.push({
      action: 'start',
      reason: 'has_pending_purpose',
      purpose: 'chat',
      run_id: runId,
      provider: 'command',
      command: { file: process.execPath, args: [join(FIXTURES, fixture), ...args] },
      working_directory: this.workingDirectory,
      working_directory_made: true,
      launch: { ticket: TICKET },
      ...changes,
    });
    this.#wake();
  }

  tellToStop(runId: string): void {
    this.#stops.add(runId);
    this.#wake();
  }

  started(runId: string): Promise<RecordedCall> {
    return this.server.waitForCall('report_process_started', ({ args }) => args.run_id === runId);
  }

  exited(runId: string): Promise<RecordedCall> {
    return this.server.waitForCall('report_process_exit', ({ args }) => args.run_id === runId);
  }

  async pidOf(runId: string): Promise<number> {
    return Number((await this.started(runId)).args.pid);
  }

  log(runId: string): Promise<string> {
    return readFile(join(this.home, 'logs', 'runs', `${runId}.log`), 'utf8').catch(() => '');
  }

  /** Waits until the agent itself has reported that it runs. */
  async says(runId: string, pattern: RegExp): Promise<RegExpExecArray> {
    return until(async () => pattern.exec(await this.log(runId)) ?? undefined);
  }

  async close(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await this.server.close();
    await rm(join(this.home, '..'), { recursive: true, force: true });
  }

  #somethingToDo(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 2_000);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
