import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresUrl, startEmbeddedPostgres } from './embedded-postgres.ts';

export interface ThrowawayPostgres {
  /** The URL of the maintenance database `postgres`, as superuser. */
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts a server for one run of tests or benchmarks: in a folder of its own, on a port of its own, without fsync. It
 * leaves nothing behind, even if the run is killed.
 */
export async function startThrowawayPostgres(
  options: { durable?: boolean; settings?: Readonly<Record<string, string>> } = {},
): Promise<ThrowawayPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-postgres-'));
  // The account that Postgres runs as must pass through this folder; the files inside have their own permissions.
  await chmod(folder, 0o711);
  const password = randomBytes(18).toString('base64url');
  // A process of a server that had to be killed may still be writing.
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  try {
    const server = await startEmbeddedPostgres({
      dataDir: join(folder, 'data', 'postgres'),
      copyInto: join(folder, 'bin'),
      logFile: join(folder, 'postgres.log'),
      password,
      durable: options.durable ?? false,
      ...(options.settings && { settings: options.settings }),
    });
    const guard = spawnGuard(server.pid, folder);
    return {
      adminUrl: postgresUrl({ port: server.port, password }, 'postgres'),
      async stop() {
        await server.stop();
        guard.kill('SIGKILL');
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/** A small process that ends the server and removes the folder when its stdin closes, that is, when we die. */
function spawnGuard(pid: number, folder: string) {
  const script =
    'read -r _; kill -INT "$0"; while kill -0 "$0" 2>/dev/null; do sleep 0.2; done; rm -rf -- "$1"';
  const guard = spawn('sh', ['-c', script, String(pid), folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  return guard;
}
