import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFileSystem } from '@aizuchi/shared/platform/files/file-system';
import { openFolder } from '@aizuchi/shared/platform/files/walk';
import { createLogger } from '@aizuchi/shared/platform/logger';
import type { Executor, RunHandle, Starting } from '../src/executor/executor.ts';
import type { LaunchPlan } from '../src/launch/launch-plan.ts';
import { RunLog } from '../src/log/run-log.ts';
import { RunJournal } from '../src/state/run-journal.ts';
import { newRunId, TICKET, until } from './coordinator-host.ts';

/** An executor under test, and how one looks from outside whether anything of a run is left. */
export interface ExecutorWorld {
  readonly name: string;
  /** Another instance each time, as a Coordinator that starts anew would make it. */
  make(home: string, journal: RunJournal): Promise<Executor>;
  /** What still exists of the run. */
  leftOf(runId: string): Promise<unknown[]>;
  /** Whether it can say what this run needs; absent: always. */
  readonly saysMemory?: (run: RunHandle) => boolean;
  /** Whether a run that another instance has ended still learns how; absent: yes. */
  readonly seesForeignEnd?: boolean;
  /** Both outputs come as one; absent: no. */
  readonly hasOneStream?: boolean;
}

const NOTHING_LEFT_MS = 10_000;

/** A home, a project's folder and an executor, for one run. Its agent is a few lines of sh: any image can run it. */
export class ExecutorBench {
  readonly home: string;
  /** The project's folder. */
  readonly work: string;
  readonly journal: RunJournal;
  readonly runId = newRunId();
  readonly #world: ExecutorWorld;

  private constructor(home: string, world: ExecutorWorld) {
    this.home = home;
    this.work = join(home, 'work');
    this.journal = new RunJournal(home, createLogger('test', { level: 'silent' }));
    this.#world = world;
  }

  static async open(world: ExecutorWorld): Promise<ExecutorBench> {
    const bench = new ExecutorBench(await mkdtemp(join(tmpdir(), 'aizuchi-executor-')), world);
    await mkdir(bench.work);
    // The agent may be another account.
    await chmod(bench.work, 0o777);
    return bench;
  }

  executor(): Promise<Executor> {
    return this.#world.make(this.home, this.journal);
  }

  async start(
    script: string,
    changes: Partial<LaunchPlan> = {},
    { executor, ...starting }: Starting & { executor?: Executor } = {},
  ): Promise<RunHandle> {
    const folder = await openFolder(this.work, [this.home], { fileSystem: nodeFileSystem });
    const plan: LaunchPlan = {
      agentId: 'agt_1',
      projectId: 'prj_1',
      runId: this.runId,
      file: '/bin/sh',
      args: ['-c', script],
      cwd: this.work,
      folder,
      env: { PATH: '/usr/bin:/bin', AIZUCHI_RUN_ID: this.runId },
      secrets: [TICKET],
      mustWriteFolder: true,
      worksInFolder: true,
      ...changes,
    };
    const log = await RunLog.open(join(this.home, 'run.log'));
    try {
      return await (executor ?? (await this.executor())).start(plan, log, starting);
    } catch (error) {
      await log.close();
      throw error;
    } finally {
      await folder.close();
    }
  }

  log(): Promise<string> {
    return readFile(join(this.home, 'run.log'), 'utf8');
  }

  async says(text: string): Promise<void> {
    await until(async () => ((await this.log()).includes(text) ? true : undefined));
  }

  /** Fails when anything of the run is left. */
  async close(): Promise<void> {
    const isNothingLeft = async () => (await this.#world.leftOf(this.runId)).length === 0 || undefined;
    await until(isNothingLeft, NOTHING_LEFT_MS);
    await rm(this.home, { recursive: true, force: true });
  }
}
