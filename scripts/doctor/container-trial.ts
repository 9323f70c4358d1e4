/** One run in a container as the Coordinator makes it, of a program that looks around and ends. */
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import { nodeFileSystem } from '@aizuchi/shared/platform/files/file-system';
import { openFolder } from '@aizuchi/shared/platform/files/walk';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import { INSTANCE_LABEL } from '../../packages/coordinator/src/executor/docker/box.ts';
import { DockerEngine } from '../../packages/coordinator/src/executor/docker/docker-engine.ts';
import { DockerExecutor } from '../../packages/coordinator/src/executor/docker/docker-executor.ts';
import type { AgentAccount } from '../../packages/coordinator/src/launch/agent-account.ts';
import { RunLog } from '../../packages/coordinator/src/log/run-log.ts';
import { RUN_ERRORS } from '../../packages/coordinator/src/texts/run-errors.ts';
import { look, type Seen, seenIn } from './look-around.ts';

const LIMIT_MS = 30_000;

export interface TrialOptions {
  readonly docker: DockerConfig;
  /** Projects may lie in them; the folder of the trial is made in the first that can be written. */
  readonly roots: readonly string[];
  readonly account: AgentAccount | undefined;
  /** What is called from inside. Undefined: nothing. */
  readonly url: string | undefined;
}

export interface Trial {
  readonly tookMs: number;
  /** Undefined when the program said nothing: then the last words of the container. */
  readonly seen: Seen | undefined;
  readonly words: string;
  readonly isGone: boolean;
}

/** Throws StartError when the container could not be started. Leaves nothing. */
export async function tryContainer(options: TrialOptions): Promise<Trial> {
  const home = await mkdtemp(join(await realpath(tmpdir()), 'aizuchi-doctor-'));
  try {
    const { work, root } = await makeFolder(options.roots, home);
    try {
      if (options.account) await chown(work, options.account.uid, options.account.gid);
      return await runIn(work, root, home, options);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function makeFolder(roots: readonly string[], other: string): Promise<{ work: string; root: string }> {
  for (const root of roots) {
    const work = await mkdtemp(join(root, '.aizuchi-doctor-')).catch(() => undefined);
    if (work !== undefined) return { work, root };
  }
  return { work: await mkdtemp(join(other, 'work-')), root: other };
}

async function runIn(
  work: string,
  root: string,
  home: string,
  { docker, account, url }: TrialOptions,
): Promise<Trial> {
  const startedAt = performance.now();
  const instanceId = `doctor-${randomBytes(8).toString('hex')}`;
  const executor = new DockerExecutor({
    config: docker,
    bootId: '',
    coordinatorId: 'doctor',
    instanceId,
    self: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    // Nobody takes it over: it is ended here.
    journal: { write: async () => undefined },
    logger: createLogger('doctor', { level: 'silent' }),
    texts: RUN_ERRORS.en,
  });
  const logFile = join(home, 'trial.log');
  const log = await RunLog.open(logFile);
  const folder = await openFolder(work, [root], { fileSystem: nodeFileSystem });
  try {
    const run = await executor
      .start(
        {
          agentId: 'doctor',
          projectId: 'doctor',
          runId: 'trial',
          file: 'node',
          args: ['-e', look(), ...(url === undefined ? [] : [url])],
          cwd: work,
          folder,
          env: {},
          secrets: [],
          account,
          mustWriteFolder: false,
          worksInFolder: true,
        },
        log,
      )
      .catch(async (error: unknown) => {
        await log.close();
        throw error;
      });
    await Promise.race([run.exited, delay(LIMIT_MS, undefined, { ref: false })]);
    await run.stop();
    const words = (await readFile(logFile, 'utf8')).trim().split('\n').at(-1) ?? '';
    return {
      tookMs: performance.now() - startedAt,
      seen: seenIn(words),
      words,
      isGone: await isGone(docker, instanceId),
    };
  } finally {
    await folder.close();
  }
}

async function isGone({ address }: DockerConfig, instanceId: string): Promise<boolean> {
  const query = { all: '1', filters: JSON.stringify({ label: [`${INSTANCE_LABEL}=${instanceId}`] }) };
  const answer = await new DockerEngine(address).call({ method: 'GET', path: '/containers/json', query });
  return z.array(z.unknown()).parse(answer).length === 0;
}
