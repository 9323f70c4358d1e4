import { postgresPid, until } from '../../../tests/e2e/start/product-process.ts';
import { isAlive } from '../../postgres/postmaster-file.ts';
import type { ChaosWorld } from '../chaos-world.ts';
import { type Fault, membershipInTurn, type Round } from '../round.ts';

/** The supervisor waits up to fifteen seconds before it starts a service again that ends again and again. */
const STARTED_AGAIN_MS = 30_000;

/** Kills one process of the product with SIGKILL. */
function killOf(name: string, victim: (world: ChaosWorld, turn: number) => Promise<number>): Round {
  return {
    name: `kill -9 ${name}`,
    async inject(world, { turn }): Promise<Fault> {
      const membership = membershipInTurn(world, turn);
      let pid = 0;
      // The agents work without memory: after the last kill it may not have been started again yet.
      await until(async () => {
        pid = await victim(world, turn);
        return isAlive(pid);
      }, STARTED_AGAIN_MS);
      process.kill(pid, 'SIGKILL');
      return { membership, since: performance.now() };
    },
  };
}

export const kills: readonly Round[] = [
  ...['rest-api', 'mcp-server', 'coordinator', 'memory'].map((name) =>
    killOf(name, (world) => world.servicePid(name)),
  ),
  killOf('runner', async (world, turn) => (await world.agentRun(membershipInTurn(world, turn))).pid),
  killOf('postgres', (world) => postgresPid(world.home)),
];
