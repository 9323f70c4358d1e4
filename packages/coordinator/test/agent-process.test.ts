import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@aizuchi/shared/platform/ids';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RunLog } from '../src/log/run-log.ts';
import { AgentProcess } from '../src/process/agent-process.ts';
import { RUN_ERRORS } from '../src/texts/run-errors.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-process-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.runIf(process.platform === 'linux')(
  'one that has ended before it got its run keeps no log open',
  async () => {
    const traceId = newId('run');
    const plan = {
      traceId,
      file: '/bin/true',
      args: [],
      cwd: '/',
      entrance: '/',
      env: { PATH: '/usr/bin:/bin', AIZUCHI_RUN_ID: traceId },
      mustWriteFolder: false,
      readsStdin: true,
    };
    const logger = createLogger('test', { level: 'silent' });
    const agent = new AgentProcess(plan, { logger, texts: RUN_ERRORS.en, mark: undefined });
    expect((await agent.exited).cause).toBe('finished');
    const path = join(folder, 'run.log');
    agent.assign({ stdinLine: 'line', secrets: [], log: await RunLog.open(path) });
    await expect
      .poll(async () => {
        const names = await readdir('/proc/self/fd');
        return Promise.all(names.map((name) => readlink(join('/proc/self/fd', name)).catch(() => '')));
      })
      .not.toContain(path);
  },
);
