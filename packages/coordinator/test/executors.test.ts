import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterAll, expect, test } from 'vitest';
import { ProcessExecutor } from '../src/executor/process-executor.ts';
import { NO_SPARES } from '../src/launch/spare-pool.ts';
import { readBootId } from '../src/process/proc-table.ts';
import { findRunProcesses } from '../src/process/run-processes.ts';
import { chooseMarkMethod, type MarkMethod } from '../src/run-mark/mark-method.ts';
import { RUN_ERRORS } from '../src/texts/run-errors.ts';
import { testBox } from './docker-box.ts';
import { testEgress } from './docker-egress-box.ts';
import { dockerWith, dockerWorld } from './docker-world.ts';
import { ExecutorBench, type ExecutorWorld } from './executor-bench.ts';
import { testExecutor } from './executor-contract.ts';
import { FakeCluster } from './fake-cluster.ts';
import { kubernetesWorld } from './kubernetes-world.ts';
import { testSwarm } from './swarm-box.ts';
import { swarmWorld } from './swarm-world.ts';

const logger = createLogger('test', { level: 'silent' });

/** Chosen once, by a trial with a process. */
let marks: Promise<MarkMethod> | undefined;

const processWorld: ExecutorWorld = {
  name: 'process',
  make: async (_home, journal) => {
    const instanceId = randomBytes(8).toString('hex');
    marks ??= chooseMarkMethod({ home: tmpdir(), instanceId, account: undefined });
    return new ProcessExecutor({
      bootId: await readBootId(),
      journal,
      marks: await marks,
      spares: { ...NO_SPARES, take: async () => undefined },
      logger,
      texts: RUN_ERRORS.en,
    });
  },
  leftOf: (runId) => findRunProcesses({ traceId: runId }),
};

testExecutor(processWorld);

const cluster = await FakeCluster.open();
afterAll(() => cluster.close());
testExecutor(kubernetesWorld(cluster));

/** What is refused before an engine is asked, or without one. */
test.each([
  ['no engine there', 'unix:///nowhere/docker.sock', /engine at unix:.* does not answer \(ENOENT\)/],
  [
    'its socket in the folder of the agent',
    (work: string) => `unix://${work}/docker.sock`,
    /contains the socket/,
  ],
])('%s: one sentence, and no run', async (_what, address, sentence) => {
  const world = { name: 'docker', leftOf: async () => [] };
  const bench = await ExecutorBench.open({
    ...world,
    make: (home, journal) => {
      const host = typeof address === 'string' ? address : address(join(home, 'work'));
      return dockerWith({ AIZUCHI_DOCKER_HOST: host })(home, journal);
    },
  });
  await expect(bench.start('true')).rejects.toThrow(sentence);
  await bench.close();
});

const docker = await dockerWorld();
if (typeof docker === 'string')
  process.stderr.write(`executor docker is left out of the contract: ${docker}\n`);
else {
  testExecutor(docker);
  testBox(docker);
  // We are at the gateway of their network.
  if (docker.isLocal) testEgress(docker);
}

const swarm = await swarmWorld();
if (typeof swarm === 'string') process.stderr.write(`executor swarm is left out of the contract: ${swarm}\n`);
else {
  testExecutor(swarm);
  testSwarm(swarm);
}
