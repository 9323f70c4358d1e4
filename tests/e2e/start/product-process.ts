import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const entries = z.array(
  z.object({ name: z.string(), pid: z.number(), url: z.string(), startedAt: z.string() }).strict(),
);
/** A start that creates its database; the bound of a start, with some reserve. */
const READY_WITHIN_MS = 110_000;
/** Twice what the services, Postgres and the pauses between them may take together. */
export const STOPPED_WITHIN_MS = 20_000;
/** Each check may cost a request or a scan of /proc. */
const POLL_MS = 100;

export type ServiceEntry = z.infer<typeof entries>[number];

/** Makes a folder that other accounts may pass through, with the home in it; `clean` removes it. */
export async function throwAwayHome(): Promise<{ home: string; clean(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-start-'));
  await chmod(folder, 0o711);
  return {
    home: join(folder, 'home'),
    // A process that was killed may leave a child that still writes.
    clean: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}

/** One start of the supervisor as a process of its own. */
export class ProductProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(options: { home: string; main?: string; env?: Record<string, string> }) {
    const main = options.main ?? fileURLToPath(new URL('fixtures/supervisor.ts', import.meta.url));
    this.#child = spawn(process.execPath, [main], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        // The fixtures run from the sources and need no build.
        ...(options.main === undefined && { NODE_OPTIONS: '--conditions=source' }),
        AIZUCHI_HOME: options.home,
        REST_PORT: '0',
        MCP_PORT: '0',
        COORDINATOR_PORT: '0',
        MEMORY_PORT: '0',
        MEMORY_GROWTH: 'off',
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.exited = new Promise((resolve) => this.#child.once('close', resolve));
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The lines on stdout, as soon as the last one has been printed. */
  async ready(): Promise<string[]> {
    await until(() => {
      if (this.#child.exitCode !== null)
        throw new Error(`ended with ${this.#child.exitCode}: ${this.stderr}`);
      return this.stdout.includes('AIZUCHI READY');
    }, READY_WITHIN_MS);
    return this.stdout.trimEnd().split('\n');
  }

  /** Sends SIGTERM; resolves with the exit code and the duration. */
  async stop(): Promise<{ code: number | null; tookMs: number }> {
    const startedAt = Date.now();
    this.kill('SIGTERM');
    const code = await this.exited;
    return { code, tookMs: Date.now() - startedAt };
  }
}

export async function readServices(home: string): Promise<ServiceEntry[]> {
  return entries.parse(JSON.parse(await readFile(join(home, 'run', 'services.json'), 'utf8')));
}

export async function postgresPid(home: string): Promise<number> {
  return Number((await readFile(join(home, 'data', 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** The url of the embedded database of a running product, as its superuser. */
export async function databaseUrlOf(home: string): Promise<string> {
  const password = (await readFile(join(home, 'secrets', 'postgres-password'), 'utf8')).trim();
  const file = (await readFile(join(home, 'data', 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  return `postgres://aizuchi:${password}@127.0.0.1:${file[3]}/aizuchi`;
}

/** Every process that was started for this home, found by its environment or its working directory. */
export async function processesOf(home: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (environment.includes(home) || commandLine.includes(home)) found.push(`${pid} ${commandLine}`);
  }
  return found;
}

/** Waits for a condition. On time-out throws the condition's last error, or the text of the condition. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`did not come true in ${timeoutMs} ms: ${condition}`);
    await sleep(POLL_MS);
  }
}
