import { randomBytes } from 'node:crypto';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { ProcessExecutor } from '../src/executor/process-executor.ts';
import { readBootId } from '../src/process/proc-table.ts';
import { findRunProcesses } from '../src/process/run-processes.ts';
import { chooseMarkMethod } from '../src/run-mark/mark-method.ts';
import { RUN_ERRORS } from '../src/texts/run-errors.ts';
import { testBox } from './docker-box.ts';
import { dockerWorld } from './docker-world.ts';
import type { ExecutorWorld } from './executor-bench.ts';
import { testExecutor } from './executor-contract.ts';

const logger = createLogger('test', { level: 'silent' });

const processWorld: ExecutorWorld = {
  name: 'process',
  make: async (home, journal) =>
    new ProcessExecutor({
      bootId: await readBootId(),
      journal,
      marks: await chooseMarkMethod({
        home,
        instanceId: randomBytes(8).toString('hex'),
        account: undefined,
      }),
      spares: { take: async () => undefined },
      logger,
      texts: RUN_ERRORS.en,
    }),
  leftOf: (runId) => findRunProcesses({ traceId: runId }),
};

testExecutor(processWorld);

const docker = await dockerWorld();
if (typeof docker === 'string')
  process.stderr.write(`executor docker is left out of the contract: ${docker}\n`);
else {
  testExecutor(docker);
  testBox(docker);
}
