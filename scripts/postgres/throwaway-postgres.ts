import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresUrl, startEmbeddedPostgres } from './embedded-postgres.ts';

export interface ThrowawayPostgres {
  /** The maintenance database `postgres`, as superuser. */
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/**
 * A server for one run of tests or benchmarks: a folder and a port of its own, no fsync, nothing left
 * afterwards, not even when the run is killed.
 */
export async function startThrowawayPostgres(
  options: { durable?: boolean; settings?: Readonly<Record<string, string>> } = {},
): Promise<ThrowawayPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-postgres-'));
  // The account that Postgres runs as must get through; what is inside has its own rights.
  await chmod(folder, 0o711);
  const password = randomBytes(18).toString('base64url');
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
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A small process that hears our death by the end of its input, ends the server and removes the folder. */
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
