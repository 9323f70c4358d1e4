import { processesOf } from '../../../tests/e2e/start/product-process.ts';
import { membershipInTurn, type Round } from '../round.ts';

/** How long a stop of the whole product may take. */
const ENDS_WITHIN_MS = 10_000;

/** The whole product is stopped while clients write, and is started again. */
export const restart: Round = {
  name: 'stop (SIGTERM) and start again',
  atMost: 3,
  async inject(world, { turn, load }) {
    const { person, product } = world;
    const violations: string[] = [];
    const { code, tookMs } = await product.end();
    // From now on nothing can be acknowledged. What was acknowledged must exist after the start.
    person.giveUp();
    await load.stop();
    person.resume();
    if (code !== 0) violations.push(`SIGTERM under load ended with exit code ${code}`);
    if (tookMs > ENDS_WITHIN_MS) violations.push(`SIGTERM under load took ${Math.round(tookMs)} ms`);
    const left = await processesOf(world.home);
    if (left.length > 0) violations.push(`after SIGTERM there are still: ${left.join(', ')}`);
    const since = performance.now();
    await world.startAgain();
    const note = `ended in ${(tookMs / 1000).toFixed(1)} s with work under way`;
    return { membership: membershipInTurn(world, turn), since, note, violations };
  },
};
