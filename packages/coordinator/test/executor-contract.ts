import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TICKET } from './coordinator-host.ts';
import { ExecutorBench, type ExecutorWorld } from './executor-bench.ts';

/** What every executor does. After each run nothing of it is left. */
export function testExecutor(world: ExecutorWorld): void {
  describe(`executor ${world.name}`, () => {
    let bench: ExecutorBench;
    beforeEach(async () => {
      bench = await ExecutorBench.open(world);
    });
    afterEach(() => bench.close());

    test('the ticket comes by stdin alone, the output is live, the exit code exact', async () => {
      const run = await bench.start(
        `read -r line && echo "got $line" && echo last >&2
         tr '\\0' ' ' </proc/self/environ >seen; tr '\\0' ' ' </proc/$$/cmdline >>seen
         until [ -e go ]; do sleep 0.05; done; exit 7`,
        { stdinLine: TICKET },
      );
      // It still runs: the output is there before the end.
      await bench.says('got [hidden]');
      expect(run.state).toBe('running');
      expect((await run.describe())?.pid).toBeGreaterThan(0);
      if (world.saysMemory?.(run) ?? true) expect(await run.memoryMb()).toBeGreaterThan(0);
      expect(run.place.executor).toBe(world.name);
      expect((await bench.journal.readAll()).map(({ runId }) => runId)).toEqual([bench.runId]);
      await writeFile(join(bench.work, 'go'), '');
      const stderrTail = world.hasOneStream ? 'got [hidden]\nlast' : 'last';
      expect(await run.exited).toEqual({ cause: 'crashed', exitCode: 7, signal: null, stderrTail });
      expect(run.state).toBe('exited');
      expect(await run.memoryMb()).toBeUndefined();
      const seen = await readFile(join(bench.work, 'seen'), 'utf8');
      expect(seen).toContain(bench.runId);
      expect(seen).not.toContain(TICKET);
      expect(await bench.log()).not.toContain(TICKET);
    });

    test('exit code 0 is a finished run', async () => {
      const run = await bench.start('true');
      expect(await run.exited).toEqual({ cause: 'finished', exitCode: 0, signal: null, stderrTail: '' });
    });

    test('the end that is asked for begins with SIGTERM', async () => {
      const run = await bench.start(
        'trap "echo told; exit 3" TERM; echo alive; while :; do sleep 0.05; done',
      );
      await bench.says('alive');
      await run.stop();
      expect(await run.exited).toMatchObject({ cause: 'killed', exitCode: 3, signal: null });
      expect(await bench.log()).toContain('told');
    });

    test('what ignores SIGTERM is killed after the grace, with all that it has started', async () => {
      const run = await bench.start(
        `trap '' TERM; setsid sleep 600 & echo alive; while :; do sleep 0.05; done`,
      );
      await bench.says('alive');
      const askedAt = performance.now();
      await run.stop(700);
      expect(performance.now() - askedAt).toBeGreaterThan(650);
      expect(await run.exited).toMatchObject({ cause: 'killed', exitCode: null, signal: 'SIGKILL' });
      expect(run.survivors).toEqual([]);
    });

    test('another instance ends what an earlier one has left, by the journal alone', async () => {
      const run = await bench.start('echo alive; exec sleep 600');
      await bench.says('alive');
      const [entry] = await bench.journal.readAll();
      if (!entry) throw new Error('not in the journal');
      const next = await bench.executor();
      next.keep(entry);
      const { found, left } = await next.adopt(entry);
      expect(found.length).toBeGreaterThan(0);
      expect(left).toEqual([]);
      const seen = (world.seesForeignEnd ?? true) ? { signal: 'SIGTERM' } : {};
      expect(await run.exited).toMatchObject({ exitCode: null, ...seen });
      await next.clean();
      expect((await next.adopt(entry)).found).toEqual([]);
    });
  });
}
