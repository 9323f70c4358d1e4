import { until } from '../../../tests/e2e/start/product-process.ts';
import { makeAgentProgram } from '../../../tests/fixtures/agent-program.ts';
import { type Attack, must } from '../attack.ts';
import type { Host } from '../host.ts';
import { post, untilRun } from '../support/chat.ts';
import { doctor } from '../support/doctor.ts';

/** All ways; in a double fork sh keeps one more process for a moment. */
const WAYS = ['detached', 'setsid', 'double-fork'];
const GONE_WITHIN_MS = 10_000;

export const descendants: readonly Attack[] = [
  {
    row: 6,
    name: 'children of an agent that detach themselves',
    limitMs: 58_000,
    needs: ['the host', 'linux', 'runs as processes'],
    pace: 'quiet',
    async run(world) {
      const { machine } = world;
      const name = `probe-${world.word()}`;
      const source = new URL('../agents/detaching-agent.ts', import.meta.url);
      const { command } = await makeAgentProgram(machine.home, name, source);
      const { id: projectId } = await world.makeProject();
      const { id: agentId } = await world.makeAgent(projectId, { provider: 'command', command });
      await post(world, { projectId, agentId }, 'Start');
      const living = () => survivors(machine, name);
      await until(async () => (await living()).length === WAYS.length, 25_000);
      const run = await untilRun(
        world,
        projectId,
        ({ state }) => state === 'running' || state === 'starting',
      );
      if (!run) throw new Error('there is no run');
      await world.owner.send('POST', `/runs/${run.id}/stop`, {});
      await untilRun(world, projectId, ({ id, state }) => id === run.id && state === 'exited');
      await until(async () => (await living()).length === 0, GONE_WITHIN_MS).catch(() => undefined);
      const left = await living();
      for (const { pid } of left) kill(pid);
      if (left.length === 0) return `nothing of ${WAYS.join(', ')} lives 10 s after the end`;
      const ways = left.map(({ way }) => way).join(', ');
      const admitted = world.isRoot ? undefined : await admission(machine.home);
      must(admitted !== undefined, `10 s after the end live: ${ways}`);
      return `10 s after the end live: ${ways}; doctor says so: ${admitted}`;
    },
  },
];

async function survivors(machine: Host, name: string): Promise<{ pid: number; way: string }[]> {
  const found = await Promise.all(
    WAYS.map(async (way) =>
      (await machine.processesWith(`control-${name}-child-${way}`)).slice(0, 1).map((pid) => ({ pid, way })),
    ),
  );
  return found.flat();
}

/** Kills a process that the probe itself has started. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

/** The line of `npm run doctor` about descendants on a platform that cannot end them. */
async function admission(home: string): Promise<string | undefined> {
  return (await doctor(home)).split('\n').find((line) => /descend|cgroup|detach|outlive/i.test(line));
}
