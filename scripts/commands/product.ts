import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { variableNames } from '@aizuchi/shared/platform/config/env';
import { z } from 'zod';
import { findTestPort } from '../postgres/free-port.ts';
import { services } from '../supervisor/services.ts';
import { makeHomeWithDatabase } from './prepared-database.ts';

/** What `npm start` runs after the build. */
export const supervisor = fileURLToPath(new URL('../../dist/supervisor.js', import.meta.url));
/**
 * A throw-away product must never use the database or the tokens of the account that starts it. An empty value counts
 * as unset.
 */
const nothingOfOurs = Object.fromEntries(variableNames.map((name) => [name, '']));
/** Less than the hooks of tests take: then what it has logged is shown. Slow is a machine, not a fault of the start. */
const startTimeoutMs = 110_000;
const entries = z.array(z.object({ name: z.string(), url: z.string() }));

export interface RunningProduct {
  /** What a script needs to reach the product: urls, home, the owner's passkey. */
  environment: Record<string, string>;
  /** Sends SIGTERM; the home stays. */
  end(): Promise<{ code: number | null; tookMs: number }>;
  /** Starts the ended product again, on the same home and the same ports. */
  startAgain(): Promise<void>;
  /** Ends the product and removes its folders; returns false if it did not end cleanly. */
  stop(): Promise<boolean>;
}

/** The whole product as `npm start` runs it, on a throw-away home and on ports of its own. */
export async function startProduct(env: Record<string, string> = {}): Promise<RunningProduct> {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-product-'));
  await chmod(folder, 0o711);
  const home = join(folder, 'home');
  const roots = join(folder, 'work');
  await mkdir(roots, { mode: 0o755 });
  const passkey = randomBytes(12).toString('base64url');
  const log = join(folder, 'product.log');
  const given = {
    ...nothingOfOurs,
    AIZUCHI_HOME: home,
    AIZUCHI_WORKSPACE_ROOTS: roots,
    AIZUCHI_OWNER_PASSKEY: passkey,
    // Those that the system chooses could be taken between a kill and a restart.
    REST_PORT: `${await findTestPort()}`,
    MCP_PORT: `${await findTestPort()}`,
    COORDINATOR_PORT: `${await findTestPort()}`,
    MEMORY_PORT: `${await findTestPort()}`,
    // Else the first sign-in would choose it.
    AIZUCHI_LOCALE: 'ja',
    ...env,
  };
  if (!env.DATABASE_URL) await makeHomeWithDatabase(home);
  let child = await launch(given, log);
  const end = async () => {
    const startedAt = performance.now();
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    return { code: child.exitCode, tookMs: performance.now() - startedAt };
  };
  const stop = async () => {
    const { code } = await end();
    // A process that was killed may leave a child that still writes.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    return code === 0;
  };
  try {
    const { web, signInUrl } = await waitForReady(child);
    const running = entries.parse(JSON.parse(await readFile(join(home, 'run', 'services.json'), 'utf8')));
    const mcp = running.find((service) => service.name === 'mcp-server');
    return {
      environment: {
        AIZUCHI_WEB_URL: web,
        AIZUCHI_SIGN_IN_URL: signInUrl,
        AIZUCHI_MCP_URL: `${mcp?.url ?? ''}/mcp`,
        AIZUCHI_HOME: home,
        AIZUCHI_WORKSPACE_ROOTS: roots,
        AIZUCHI_OWNER_PASSKEY: passkey,
      },
      end,
      async startAgain() {
        child = await launch({ ...given, ...portsOf(running) }, log);
        await waitForReady(child);
      },
      stop,
    };
  } catch (error) {
    console.error(await readFile(log, 'utf8'));
    await stop();
    throw error;
  }
}

async function launch(env: Record<string, string>, logFile: string): Promise<ChildProcess> {
  const log = await open(logFile, 'a');
  try {
    return spawn(process.execPath, [supervisor], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', log.fd, 'ipc'],
    });
  } finally {
    await log.close();
  }
}

function portsOf(running: z.infer<typeof entries>): Record<string, string> {
  return Object.fromEntries(
    services.flatMap(({ name, portVariable }) => {
      const url = running.find((entry) => entry.name === name)?.url;
      return url === undefined ? [] : [[portVariable, new URL(url).port]];
    }),
  );
}

interface ReadyLines {
  readonly web: string;
  /** The url works once, for 15 minutes. */
  readonly signInUrl: string;
}

async function waitForReady(child: ChildProcess): Promise<ReadyLines> {
  const { stdout } = child;
  if (!stdout) throw new Error('The product was started without an output.');
  const ready = (async () => {
    let signInUrl = '';
    for await (const line of createInterface({ input: stdout })) {
      const [, name, value = ''] = /^AIZUCHI (READY|SIGN-IN) (.*)$/.exec(line) ?? [];
      if (name === 'SIGN-IN') signInUrl = value;
      if (name === 'READY') return { web: value, signInUrl };
    }
    throw new Error('The product said all it had to say, but not that it was ready.');
  })();
  const late = once(AbortSignal.timeout(startTimeoutMs), 'abort').then(() => {
    throw new Error('The product was not ready in time.');
  });
  const early = once(child, 'exit').then(() => {
    throw new Error('The product ended before it was ready.');
  });
  return Promise.race([ready, late, early]);
}
