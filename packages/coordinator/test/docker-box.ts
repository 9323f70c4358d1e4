import { chmod } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { INSTANCE_LABEL } from '../src/executor/docker/box.ts';
import { TICKET } from './coordinator-host.ts';
import { AGENT, type DockerWorld, dockerWith, INSTANCE, MEMORY_MB } from './docker-world.ts';
import { ExecutorBench } from './executor-bench.ts';

/** What the box gives to an agent, and what it keeps from it. */
export function testBox(world: DockerWorld): void {
  describe('the box of a run', () => {
    let bench: ExecutorBench;
    beforeEach(async () => {
      bench = await ExecutorBench.open(world);
    });
    afterEach(() => bench.close());

    test('no root, no capability, one mount, nothing to write but the folder and scratch', async () => {
      const run = await bench.start(`
        echo "uid $(id -u)"; grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status
        touch /etc/x /opt/x "$HOME/mine" project || true; ls -A "$HOME" . | grep -E 'mine|project'
        ls /var/run/docker.sock /run/docker.sock 2>/dev/null && echo engine`);
      await run.exited;
      const log = await bench.log();
      expect(log).toContain(`uid ${AGENT.uid}`);
      expect(log).toMatch(/CapEff:\t0+\n/);
      expect(log).toMatch(/CapBnd:\t0+\n/);
      expect(log).toMatch(/NoNewPrivs:\t1/);
      expect(log.match(/Read-only file system/g)).toHaveLength(2);
      expect(log).toMatch(/^mine$/m);
      expect(log).toMatch(/^project$/m);
      expect(log).not.toContain('engine');
    });

    test('a run that touches no file has no folder', async () => {
      const run = await bench.start('pwd; ls -d /*', { worksInFolder: false });
      expect(await run.exited).toMatchObject({ cause: 'finished' });
      expect(await bench.log()).toMatch(/^\/tmp$/m);
      expect(await bench.log()).not.toContain(bench.work);
    });

    test('the engine shows no ticket, also of a program that gets it as a variable', async () => {
      const run = await bench.start(
        'echo "given $AIZUCHI_PASSKEY"; read -r more || echo end; exec sleep 600',
        {
          env: { AIZUCHI_RUN_ID: bench.runId, AIZUCHI_PASSKEY: TICKET },
        },
      );
      await bench.says('given [hidden]\nend');
      const filters = JSON.stringify({ label: [`${INSTANCE_LABEL}=${INSTANCE}`] });
      const path = '/containers/json';
      const listed = JSON.stringify(await world.engine.call({ method: 'GET', path, query: { filters } }));
      const [, name] = /"\/(aizuchi-[^"]+)"/.exec(listed) ?? [];
      const shown = await world.engine.call({ method: 'GET', path: `/containers/${name}/json` });
      expect(JSON.stringify(shown)).toContain(bench.runId);
      expect(listed + JSON.stringify(shown)).not.toContain(TICKET);
      await run.stop(0);
    });

    test('a flood of output is kept to its end', async () => {
      const run = await bench.start(`head -c 20000000 /dev/zero | tr '\\0' x; echo; echo 'the last line'`);
      expect(await run.exited).toMatchObject({ cause: 'finished' });
      expect((await bench.log()).endsWith('\nthe last line\n')).toBe(true);
    });

    test('an end for want of memory says so, and what to do', async () => {
      const run = await bench.start('x=aaaaaaaaaaaaaaaa; while :; do x="$x$x"; done');
      const exit = await run.exited;
      expect(exit).toMatchObject({ cause: 'crashed', signal: 'SIGKILL' });
      expect(exit.error?.text).toMatch(
        `more than its ${MEMORY_MB} MiB of memory. Give the agent more memory`,
      );
      // The chat shows the last line.
      expect(exit.stderrTail).toBe(exit.error?.text);
      expect(await bench.log()).toContain(exit.error?.text);
    });

    test('a folder that the agent cannot write ends the run, with what to do', async () => {
      await chmod(bench.work, 0o755);
      const run = await bench.start('echo begun');
      expect(await run.exited).toMatchObject({
        cause: 'could_not_start',
        error: { text: expect.stringContaining(`cannot write to the working directory ${bench.work}`) },
      });
      expect(await bench.log()).toBe('');
    });

    test.each([
      [
        'no engine there',
        { AIZUCHI_DOCKER_HOST: 'unix:///nowhere/docker.sock' },
        /does not answer \(ENOENT\)/,
      ],
      ['no such image', { AIZUCHI_DOCKER_IMAGE: 'aizuchi-no-such-image' }, /has no image .*docker build/],
      [
        'no registry there',
        { AIZUCHI_DOCKER_IMAGE: '127.0.0.1:1/aizuchi/runner:1' },
        /could not be pulled \(.*127\.0\.0\.1:1.*docker pull 127\.0\.0\.1:1\/aizuchi\/runner:1/,
      ],
      [
        'no such network',
        { AIZUCHI_DOCKER_NETWORK: 'aizuchi-no-such-network' },
        /did not start the container/,
      ],
    ])('%s: one sentence that says what to do', async (_what, changes, sentence) => {
      const other = await ExecutorBench.open({ ...world, make: dockerWith(changes) });
      await expect(other.start('true')).rejects.toThrow(sentence);
      await other.close();
    });
  });
}
