import { postgresPid } from '../../../tests/e2e/start/product-process.ts';
import type { ChaosWorld } from '../chaos-world.ts';
import { type Fault, membershipInTurn, type Round } from '../round.ts';

/** Kills one process of the product with SIGKILL. */
function killOf(name: string, victim: (world: ChaosWorld, turn: number) => Promise<number>): Round {
  return {
    name: `kill -9 ${name}`,
    async inject(world, { turn }): Promise<Fault> {
      const membership = membershipInTurn(world, turn);
      process.kill(await victim(world, turn), 'SIGKILL');
      return { membership, since: performance.now() };
    },
  };
}

const memory: Round = {
  name: 'kill -9 memory',
  absent: async () => 'not there: this version has no memory service',
  inject: async () => {
    throw new Error('There is no memory service to be killed.');
  },
};

export const kills: readonly Round[] = [
  ...['rest-api', 'mcp-server', 'coordinator', 'memory'].map((name) =>
    killOf(name, (world) => world.servicePid(name)),
  ),
  memory,
  killOf('runner', async (world, turn) => (await world.agentRun(membershipInTurn(world, turn))).pid),
  killOf('postgres', (world) => postgresPid(world.home)),
];
