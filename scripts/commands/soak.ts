/**
 * `npm run test:soak`: repeats the suites of `npm test` while other processes keep the machine busy, or stop those of
 * the tests for moments. At the end it prints how often each failed test failed; exit code 1 if there is one.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { underBurners } from '../soak/burners.ts';
import { underStalls } from '../soak/stalls.ts';
import { Tally } from '../soak/tally.ts';
import type { StepResult } from './steps.ts';
import { runAllTests, runVitest } from './vitest-step.ts';

const HELP = `npm run test:soak -- [--times N] [--burners N] [--stalls] [--only NAME]
  --times      rounds (10)
  --burners    busy processes beside the tests (one for each core)
  --stalls     stops a random process of the tests for 50 to 500 ms, about twice a second (Linux)
  --only       only the suite of this name (unit, integration, e2e), or the test files whose path holds NAME;
               as often as you like`;

const SUITES: Readonly<Record<string, () => Promise<StepResult[]>>> = {
  unit: async () => [await runVitest('unit tests', ['--project=unit'])],
  integration: async () => [await runVitest('integration tests', ['--project=integration'])],
  e2e: async () => [await runVitest('end-to-end tests', ['--project=e2e', '--project=web'])],
};

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    burners: { type: 'string', default: `${availableParallelism()}` },
    stalls: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});
const [times, burners] = [Number(values.times), Number(values.burners)];
if (values.help || !Number.isInteger(times) || times < 1 || !Number.isInteger(burners) || burners < 0) {
  console.error(HELP);
  process.exit(values.help ? 0 : 2);
}

const tally = new Tally();
// Ends the burners and the tests together with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const line of tally.lines()) console.log(line);
    process.exit(1);
  });

const startedAt = performance.now();
for (let round = 1; round <= times; round += 1) {
  const results = await underBurners(burners, () =>
    values.stalls ? underStalls(process.pid, runRound) : runRound(),
  );
  tally.add(results.flatMap(({ red = [] }) => red));
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  console.log(
    `\n# round ${round} of ${times} under ${burners} burners${values.stalls ? ' and stalls' : ''}, after ${minutes} min`,
  );
  for (const line of tally.lines()) console.log(line);
}
process.exit(tally.isGreen ? 0 : 1);

async function runRound(): Promise<StepResult[]> {
  if (values.only.length === 0) return [await runAllTests()];
  const words = values.only.filter((name) => !Object.hasOwn(SUITES, name));
  const results = words.length > 0 ? [await runVitest(`tests of ${words.join(', ')}`, words)] : [];
  for (const name of values.only) results.push(...((await SUITES[name]?.()) ?? []));
  return results;
}
