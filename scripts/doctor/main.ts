/**
 * `npm run doctor`: checks everything that a start needs, and whether a running product is healthy. Changes nothing.
 * `npm run doctor -- --chaos [--short …]` also injects faults into a product of its own, on a throw-away home.
 */
import { join } from 'node:path';
import { runTool } from '../commands/steps.ts';
import { examine } from './examine.ts';

const SIGNS = { good: 'ok  ', note: 'note', bad: 'BAD ' } as const;
const args = process.argv.slice(2);

const found = await examine(process.env);
const width = Math.max(...found.map(({ about }) => about.length));
for (const { kind, about, sentence } of found)
  console.log(`${SIGNS[kind]}  ${about.padEnd(width)}  ${sentence}`);
let isWell = found.every(({ kind }) => kind !== 'bad');
console.log(
  isWell ? '\nNothing stands in the way of a start.' : '\nWhat is marked BAD must be mended first.',
);

if (args.includes('--chaos')) {
  const rest = args.filter((argument) => argument !== '--chaos');
  console.log('\nNow the rounds, on a home of their own:');
  isWell = (await runTool(process.execPath, [join('scripts', 'chaos', 'main.ts'), ...rest])) && isWell;
}
process.exit(isWell ? 0 : 1);
