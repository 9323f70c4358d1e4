import { setTimeout as sleep } from 'node:timers/promises';
import { everyNth } from '../response-cutter.ts';
import { membershipInTurn, type Round } from '../round.ts';

const EVERY = 5;
const CUT_FOR_MS = 5_000;

/**
 * The mcp-server has finished an answer on a connection that is alive, but the answer is never read: every fifth
 * answer, to agents and to the Coordinator.
 */
export const answersCut: Round = {
  name: 'answers cut (mcp-server → agent)',
  async inject(world, { turn }) {
    const { cutter } = world;
    const before = cutter.cuts;
    cutter.judge = everyNth(EVERY);
    await sleep(CUT_FOR_MS);
    cutter.judge = undefined;
    return {
      membership: membershipInTurn(world, turn),
      since: performance.now(),
      note: `${cutter.cuts - before} answers cut`,
    };
  },
};
