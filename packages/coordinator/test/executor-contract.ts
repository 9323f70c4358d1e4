import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFileSystem } from '@aizuchi/shared/platform/files/file-system';
import { openFolder } from '@aizuchi/shared/platform/files/walk';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Executor, RunHandle } from '../src/executor/executor.ts';
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
}

const NOTHING_LEFT_MS = 10_000;
const logger = createLogger('test', { level: 'silent' });

/** What every executor does; the agents are a few lines of sh, so that any image can run them. */
export function testExecutor(world: ExecutorWorld): void {
  describe(`executor ${world.name}`, () => {
    let folder: string;
    let work: string;
    let journal: RunJournal;
    let executor: Executor;
    let runId: string;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'aizuchi-executor-'));
      work = join(folder, 'work');
      await mkdir(work);
      journal = new RunJournal(folder, logger);
      executor = await world.make(folder, journal);
      runId = newRunId();
    });

    afterEach(async () => {
      await until(async () => ((await world.leftOf(runId)).length === 0 ? true : undefined), NOTHING_LEFT_MS);
      await rm(folder, { recursive: true, force: true });
    });

    const logText = () => readFile(join(folder, 'run.log'), 'utf8').catch(() => '');
    const says = (text: string) => until(async () => ((await logText()).includes(text) ? true : undefined));

    async function start(script: string, changes: Partial<LaunchPlan> = {}): Promise<RunHandle> {
      const opened = await openFolder(work, [folder], { fileSystem: nodeFileSystem });
      const plan: LaunchPlan = {
        agentId: 'agt_1',
        projectId: 'prj_1',
        runId,
        file: '/bin/sh',
        args: ['-c', script],
        cwd: work,
        folder: opened,
        env: { PATH: '/usr/bin:/bin', AIZUCHI_RUN_ID: runId },
        secrets: [TICKET],
        mustWriteFolder: true,
        ...changes,
      };
      const log = await RunLog.open(join(folder, 'run.log'));
      try {
        return await executor.start(plan, log);
      } finally {
        await opened.close();
      }
    }

    test('the ticket comes by stdin alone, the output is live, the exit code exact', async () => {
      const run = await start(
        `read -r line && echo "got $line" && echo last >&2
         tr '\\0' ' ' </proc/self/environ >seen; tr '\\0' ' ' </proc/$$/cmdline >>seen
         until [ -e go ]; do sleep 0.05; done; exit 7`,
        { stdinLine: TICKET },
      );
      // It still runs: the output is there before the end.
      await says('got [hidden]');
      expect(run.state).toBe('running');
      expect(await run.describe()).toMatchObject({ pid: expect.any(Number) });
      expect((await journal.readAll()).map((entry) => entry.runId)).toEqual([runId]);
      await writeFile(join(work, 'go'), '');
      expect(await run.exited).toEqual({ cause: 'crashed', exitCode: 7, signal: null, stderrTail: 'last' });
      expect(run.state).toBe('exited');
      const seen = await readFile(join(work, 'seen'), 'utf8');
      expect(seen).toContain(runId);
      expect(seen).not.toContain(TICKET);
      expect(await logText()).not.toContain(TICKET);
    });

    test('exit code 0 is a finished run', async () => {
      const run = await start('true');
      expect(await run.exited).toEqual({ cause: 'finished', exitCode: 0, signal: null, stderrTail: '' });
    });

    test('the end that is asked for begins with SIGTERM', async () => {
      const run = await start('trap "echo told; exit 3" TERM; echo alive; while :; do sleep 0.05; done');
      await says('alive');
      await run.stop();
      expect(await run.exited).toMatchObject({ cause: 'killed', exitCode: 3, signal: null });
      expect(await logText()).toContain('told');
    });

    test('what ignores SIGTERM is killed after the grace, with all that it has started', async () => {
      const run = await start(`trap '' TERM; setsid sleep 600 & echo alive; while :; do sleep 0.05; done`);
      await says('alive');
      const askedAt = performance.now();
      await run.stop(700);
      expect(performance.now() - askedAt).toBeGreaterThan(650);
      expect(await run.exited).toMatchObject({ cause: 'killed', exitCode: null, signal: 'SIGKILL' });
      expect(run.survivors).toEqual([]);
    });

    test('another instance ends what an earlier one has left, by the journal alone', async () => {
      const run = await start('echo alive; exec sleep 600');
      await says('alive');
      const [entry] = await journal.readAll();
      if (!entry) throw new Error('not in the journal');
      const next = await world.make(folder, journal);
      next.keep(entry);
      const { found, left } = await next.adopt(entry);
      expect(found.length).toBeGreaterThan(0);
      expect(left).toEqual([]);
      expect(await run.exited).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
      await next.clean();
      expect((await next.adopt(entry)).found).toEqual([]);
    });
  });
}
