/**
 * The whole product on a throw-away home, under load, and what may happen to it: `npm run chaos`. Ends with the table
 * of rounds, and with exit code 1 when anything was lost, doubled, left over, or a rule did not hold.
 */
import { parseArgs } from 'node:util';
import { closeAll, rounds, runChaos } from './chaos.ts';
import { add, isGood, nothing, tableOf } from './report.ts';

const HELP = `npm run chaos -- [--short] [--rounds a,b] [--kills N]
  --short      one strike each, Postgres stopped for 10 s instead of 30, and not for 90
  --rounds     only the rounds whose name holds one of these words; all: each
  --kills      strikes of each round (10)
Rounds: ${rounds.map(({ name }) => name).join(' · ')}`;

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '' },
    kills: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const words = values.rounds.split(',').filter(Boolean);
const chosen = rounds.filter(
  ({ name, isLong }) =>
    !(values.short && isLong) &&
    (words.length === 0 || words.some((word) => word === 'all' || name.includes(word))),
);
const kills = Number(values.kills ?? (values.short ? 1 : 10));
if (values.help || chosen.length === 0 || !Number.isInteger(kills) || kills < 1) {
  console.error(HELP);
  process.exit(values.help ? 0 : 2);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void closeAll().then(() => process.exit(1)));

const startedAt = Date.now();
const results = await runChaos({
  rounds: chosen,
  kills,
  isShort: values.short,
  say: (line) => console.log(line),
});
const sum = results.map((result) => result.sum).reduce(add, nothing);
console.log(`\n${tableOf(results)}\n`);
for (const violation of new Set(sum.violations)) console.log(`NOT KEPT: ${violation}`);
console.log(
  `${isGood(sum) ? 'All promises kept' : 'NOT all promises kept'} in ${((Date.now() - startedAt) / 1000).toFixed(0)} s.`,
);
process.exit(isGood(sum) ? 0 : 1);
