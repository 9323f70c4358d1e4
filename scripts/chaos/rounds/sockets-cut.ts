import { setTimeout as sleep } from 'node:timers/promises';
import { membershipInTurn, type Round } from '../round.ts';

const STORM_STEPS = 12;

/** Between agents and the mcp-server connections are reset, answers are lost, and all traffic is delayed. */
export const socketsCut: Round = {
  name: 'sockets cut (agent ↔ mcp-server)',
  async inject(world, { turn }) {
    const { proxy } = world;
    const before = proxy.cuts;
    try {
      for (let step = 0; step < STORM_STEPS; step += 1) {
        proxy.interference = { delayMs: (step % 4) * 15, losesAnswers: step % 3 === 1 };
        proxy.cutAll();
        await sleep(100 + (step % 5) * 40);
      }
    } finally {
      proxy.interference = {};
    }
    return {
      membership: membershipInTurn(world, turn),
      since: performance.now(),
      note: `${proxy.cuts - before} connections cut`,
    };
  },
};
