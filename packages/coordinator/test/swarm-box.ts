import { chmod } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { INSTANCE_LABEL } from '../src/executor/docker/box.ts';
import { TICKET } from './coordinator-host.ts';
import { AGENT, INSTANCE, MEMORY_MB } from './docker-world.ts';
import { ExecutorBench } from './executor-bench.ts';
import { type SwarmWorld, swarmWith } from './swarm-world.ts';

/** What a service gives to an agent, and what it keeps from it; how its end is told. */
export function testSwarm(world: SwarmWorld): void {
  describe('the service of a run', () => {
    let bench: ExecutorBench;
    beforeEach(async () => {
      bench = await ExecutorBench.open(world);
    });
    afterEach(() => bench.close());

    test('no root, no capability, one mount, nothing to write but the folder and scratch', async () => {
      const run = await bench.start(`
        echo "uid $(id -u)"; grep -E '^(CapEff|CapBnd|NoNewPrivs|SigIgn):' /proc/self/status
        touch /etc/x /opt/x "$HOME/mine" project || true; ls -A "$HOME" . | grep -E 'mine|project'
        ls /var/run/docker.sock /run/docker.sock 2>/dev/null && echo engine`);
      expect(run.place).toMatchObject({ executor: 'swarm', node: expect.any(String) });
      await run.exited;
      const log = await bench.log();
      expect(log).toContain(`uid ${AGENT.uid}`);
      expect(log).toMatch(/CapEff:\t0+\n/);
      expect(log).toMatch(/CapBnd:\t0+\n/);
      expect(log).toMatch(/NoNewPrivs:\t1/);
      expect(log).toMatch(/SigIgn:\t0+\n/);
      expect(log.match(/Read-only file system/g)).toHaveLength(2);
      expect(log).toMatch(/^mine$/m);
      expect(log).toMatch(/^project$/m);
      expect(log).not.toContain('engine');
    });

    test('the swarm shows no ticket, also of a program that gets it as a variable', async () => {
      const run = await bench.start(
        'echo "given $AIZUCHI_PASSKEY"; read -r more || echo end; exec sleep 600',
        {
          env: { AIZUCHI_RUN_ID: bench.runId, AIZUCHI_PASSKEY: TICKET },
        },
      );
      await bench.says('given [hidden]\nend');
      const query = { filters: JSON.stringify({ label: [`${INSTANCE_LABEL}=${INSTANCE}`] }) };
      const paths = ['/services', '/tasks', '/secrets', '/containers/json'];
      const shown = await Promise.all(paths.map((path) => world.engine.call({ method: 'GET', path, query })));
      expect(JSON.stringify(shown)).toContain(bench.runId);
      expect(JSON.stringify(shown)).not.toContain(TICKET);
      expect(JSON.stringify(shown)).not.toContain(Buffer.from(TICKET).toString('base64'));
      await run.stop(0);
    });

    test.each([1_500_000, 20_000_000])('of %i bytes of output none is missing at the end', async (bytes) => {
      const run = await bench.start(`head -c ${bytes} /dev/zero | tr '\\0' x; echo; echo 'the last line'`);
      expect(await run.exited).toMatchObject({ cause: 'finished' });
      const log = await bench.log();
      expect(log.endsWith('x\nthe last line\n')).toBe(true);
      // The log of a run keeps the newest 2 MiB.
      if (bytes < 2_000_000) expect(log).toHaveLength(bytes + '\nthe last line\n'.length);
    });

    test('an end for want of memory says so, and what to do', async () => {
      const run = await bench.start('x=aaaaaaaaaaaaaaaa; while :; do x="$x$x"; done');
      const exit = await run.exited;
      expect(exit).toMatchObject({ cause: 'crashed', signal: 'SIGKILL' });
      expect(exit.error?.text).toMatch(
        `more than its ${MEMORY_MB} MiB of memory. Give the agent more memory`,
      );
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
        'no manager there',
        { AIZUCHI_DOCKER_HOST: 'unix:///nowhere/docker.sock' },
        /does not answer \(ENOENT\)/,
      ],
      ['no such image', { AIZUCHI_DOCKER_IMAGE: 'aizuchi-no-such-image' }, /has no image .*registry/],
      ['no such network', { AIZUCHI_DOCKER_NETWORK: 'aizuchi-no-such-network' }, /did not start the service/],
      [
        'no such node',
        { AIZUCHI_SWARM_CONSTRAINTS: ['node.labels.no==such'] },
        /No node .*AIZUCHI_SWARM_CONSTRAINTS/,
      ],
    ])('%s: one sentence that says what to do', { timeout: 40_000 }, async (_what, changes, sentence) => {
      const other = await ExecutorBench.open({ ...world, make: swarmWith(changes) });
      await expect(other.start('true')).rejects.toThrow(sentence);
      await other.close();
    });

    test('a folder that the node does not have: what to mount', async () => {
      await expect(bench.start('true', { cwd: '/nowhere/at-all' })).rejects.toThrow(
        /has no folder \/nowhere\/at-all. Mount shared storage/,
      );
    });
  });
}
