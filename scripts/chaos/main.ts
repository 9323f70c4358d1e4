/**
 * `npm run chaos`: runs the whole product on a throw-away home, under load, and injects faults. Prints the table of
 * rounds at the end. Exit code 1 if a message was lost or doubled, a process was left over, or an invariant did not
 * hold.
 */
import { parseArgs } from 'node:util';
import { closeAll, rounds, runChaos } from './chaos.ts';
import { connectedRounds, runConnectedRounds } from './connected/rounds.ts';
import { add, isGood, nothing, tableOf } from './report.ts';

const HELP = `npm run chaos -- [--short] [--rounds a,b] [--kills N] [--messages N]
  --short      one fault each, Postgres stopped for 10 s instead of 30, and not for 90
  --rounds     only the rounds whose name holds one of these words; all: each
  --kills      faults of each round (10)
  --messages   to an agent that is connected by hand (1000)
Rounds: ${rounds.map(({ name }) => name).join(' · ')}
Connected by hand: ${connectedRounds.map(({ name }) => name).join(' · ')}
  not in the short form, and Claude Code only when it is named: it is fetched (175 MB) where it is not there yet`;

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '' },
    kills: { type: 'string' },
    messages: { type: 'string', default: '1000' },
    help: { type: 'boolean', default: false },
  },
});
const words = values.rounds.split(',').filter(Boolean);
const isNamed = (name: string) => words.some((word) => name.includes(word));
const isAll = words.length === 0 || words.includes('all');
const chosen = rounds.filter(({ name, isLong }) => (isAll || isNamed(name)) && !(values.short && isLong));
const connected = connectedRounds.filter(
  ({ name, onlyIfNamed }) => isNamed(name) || (isAll && !values.short && !onlyIfNamed),
);
const kills = Number(values.kills ?? (values.short ? 1 : 10));
const messages = Number(values.messages);
const areNumbers = [kills, messages].every((number) => Number.isInteger(number) && number > 0);
if (values.help || chosen.length + connected.length === 0 || !areNumbers) {
  console.error(HELP);
  process.exit(values.help ? 0 : 2);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void closeAll().then(() => process.exit(1)));

const startedAt = Date.now();
const say = (line: string) => console.log(line);
const results = [
  ...(await runChaos({ rounds: chosen, kills, isShort: values.short, say })),
  ...(await runConnectedRounds(connected, { messages, say })),
];
const sum = results.map((result) => result.sum).reduce(add, nothing);
console.log(`\n${tableOf(results)}\n`);
for (const violation of new Set(sum.violations)) console.log(`NOT KEPT: ${violation}`);
console.log(
  `${isGood(sum) ? 'All promises kept' : 'NOT all promises kept'} in ${((Date.now() - startedAt) / 1000).toFixed(0)} s.`,
);
process.exit(isGood(sum) ? 0 : 1);
