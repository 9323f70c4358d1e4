import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { expect, onTestFinished, test } from 'vitest';
import { LogFile } from './log-file.ts';
import { ServiceProcess } from './service-process.ts';
import type { ServiceDefinition } from './services.ts';

test('a stop in the pause after a crash at the start launches nothing more', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-service-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const entry = join(folder, 'crashes.mjs');
  await writeFile(entry, 'process.exit(1);');
  let launches = 0;
  let stopped: Promise<void> | undefined;
  const definition: ServiceDefinition = {
    // Asked for when it has crashed, before the pause.
    get name() {
      stopped ??= service.stop(1_000);
      return 'crashes';
    },
    entry,
    portVariable: 'REST_PORT',
    defaultPort: 0,
    needsDatabase: false,
    after: [],
    secrets: {},
    requires: [],
  };
  const service = new ServiceProcess({
    definition,
    cwd: folder,
    environment: () => {
      launches += 1;
      return {};
    },
    port: 0,
    logger: createLogger('test', { level: 'silent' }),
    logFile: new LogFile(join(folder, 'crashes.log')),
    onServing: () => undefined,
  });
  await expect(service.start()).rejects.toThrow();
  await stopped;
  expect(launches).toBe(1);
});
