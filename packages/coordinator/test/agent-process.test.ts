import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@aizuchi/shared/platform/ids';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ProcessExecutor } from '../src/executor/process-executor.ts';
import { NO_SPARES } from '../src/launch/spare-pool.ts';
import { RunLog } from '../src/log/run-log.ts';
import { AgentProcess } from '../src/process/agent-process.ts';
import { chooseMarkMethod } from '../src/run-mark/mark-method.ts';
import type { RunMark } from '../src/run-mark/run-mark.ts';
import { RUN_ERRORS } from '../src/texts/run-errors.ts';
import { ExecutorBench } from './executor-bench.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-process-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const logger = createLogger('test', { level: 'silent' });

function spawned(file: string, mark: RunMark | undefined, traceId: string): AgentProcess {
  const plan = {
    traceId,
    file,
    args: [],
    cwd: '/',
    entrance: '/',
    env: { PATH: '/usr/bin:/bin', AIZUCHI_RUN_ID: traceId },
    mustWriteFolder: false,
    readsStdin: true,
  };
  return new AgentProcess(plan, { logger, texts: RUN_ERRORS.en, mark });
}

test.runIf(process.platform === 'linux')(
  'one that has ended before it got its run keeps no log open',
  async () => {
    const agent = spawned('/bin/true', undefined, newId('run'));
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

test('one that is killed before it is in its control group is reported with the signal', async () => {
  const marks = await chooseMarkMethod({ home: folder, instanceId: newId('run'), account: undefined });
  const ends = Array.from({ length: 10 }, async () => {
    const traceId = newId('run');
    const mark = await marks.make(traceId);
    const agent = spawned('/bin/cat', mark, traceId);
    process.kill(agent.pid ?? Number.NaN, 'SIGKILL');
    const { cause, signal } = await agent.exited;
    if (mark) await marks.release(mark);
    return `${cause} ${signal}`;
  });
  expect(new Set(await Promise.all(ends))).toEqual(new Set(['crashed SIGKILL']));
  await marks.clean();
});

test('a spare that ends while it is written down as the process of a run is not given to the run', async () => {
  const spare = spawned('/bin/cat', undefined, newId('run'));
  const killSpare = async () => {
    if (!spare.hasEnded) process.kill(spare.pid ?? Number.NaN, 'SIGKILL');
    while (!spare.hasEnded) await new Promise(setImmediate);
  };
  const instanceId = newId('run');
  const executor = new ProcessExecutor({
    bootId: 'this boot',
    journal: { write: killSpare },
    marks: await chooseMarkMethod({ home: folder, instanceId, account: undefined }),
    spares: { ...NO_SPARES, take: async () => spare },
    logger,
    texts: RUN_ERRORS.en,
  });
  const bench = await ExecutorBench.open({
    name: 'process',
    make: async () => executor,
    leftOf: async () => [],
  });
  const run = await bench.start('exit 7');
  expect(await run.exited).toMatchObject({ cause: 'crashed', exitCode: 7 });
  await executor.settled();
  await executor.clean();
  await bench.close();
});
