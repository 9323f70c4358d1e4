import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { postgresUrl, startEmbeddedPostgres } from '../../../../scripts/postgres/embedded-postgres.ts';
import { appendChangeEvents, logBounds } from '../../src/platform/change-log/change-log.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';

const run = promisify(execFile);

/* The backup of docs/operations.md for the embedded database: stop, copy, start. */

it('a data folder that was put back from a copy begins another epoch; one that only stopped does not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-restore-'));
  await chmod(folder, 0o711);
  const data = join(folder, 'data');
  const backup = join(folder, 'backup.tar');
  /** A start of the product on what lies there, and a stop. */
  const startAndStop = async () => {
    const password = 'for-this-test';
    const server = await startEmbeddedPostgres({
      dataDir: join(data, 'postgres'),
      copyInto: join(folder, 'bin'),
      logFile: join(folder, 'postgres.log'),
      password,
      durable: false,
    });
    const url = postgresUrl({ port: server.port, password }, 'postgres');
    try {
      await migrate(url);
      const database = openDatabase({ url });
      await database.transaction((tx) =>
        appendChangeEvents(tx, [{ kind: 'coordinators', projectId: null, ref: {} }]),
      );
      const bounds = await logBounds(database.db);
      await database.close();
      return bounds;
    } finally {
      await server.stop();
    }
  };
  try {
    const first = await startAndStop();
    await run('tar', ['-C', data, '-cpf', backup, '.']);
    const second = await startAndStop();
    expect(second.epoch).toBe(first.epoch);
    await rm(join(data, 'postgres'), { recursive: true });
    await run('tar', ['-C', data, '-xpf', backup]);
    const restored = await startAndStop();
    // Its transactions begin again where the backup stood: the same ids, for other things.
    expect(BigInt(restored.horizon)).toBeLessThanOrEqual(BigInt(second.horizon) + 10n);
    expect(restored.epoch).not.toBe(first.epoch);
    expect((await startAndStop()).epoch).toBe(restored.epoch);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
