import { postgresPid } from '../../../tests/e2e/start/product-process.ts';
import type { House } from '../house.ts';
import { pairInTurn, type Round, type Strike } from '../round.ts';

/** Kills one process of the product with SIGKILL. */
function killOf(name: string, victim: (house: House, turn: number) => Promise<number>): Round {
  return {
    name: `kill -9 ${name}`,
    async strike(house, { turn }): Promise<Strike> {
      const pair = pairInTurn(house, turn);
      process.kill(await victim(house, turn), 'SIGKILL');
      return { pair, since: performance.now() };
    },
  };
}

const memory: Round = {
  name: 'kill -9 memory',
  absent: async () => 'not there: this version has no memory service',
  strike: async () => {
    throw new Error('There is no memory service to be killed.');
  },
};

export const kills: readonly Round[] = [
  ...['rest-api', 'mcp-server', 'coordinator'].map((name) => killOf(name, (house) => house.servicePid(name))),
  memory,
  killOf('runner', async (house, turn) => (await house.agentRun(pairInTurn(house, turn))).pid),
  killOf('postgres', (house) => postgresPid(house.home)),
];
