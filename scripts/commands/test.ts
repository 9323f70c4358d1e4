/** `npm test`: everything that CI runs, in its order. Arguments go to vitest and skip the rest. */
import { join } from 'node:path';
import { runChecks } from './checks.ts';
import { runProductScripts } from './product-scripts.ts';
import { finish, runStep, runToolBeside, type StepResult } from './steps.ts';
import { runBrowserTests, runCodeTests, runLooks, runProcessTests, runVitest } from './vitest-step.ts';

const flag = '--build-failed';
const buildFailed = process.argv.includes(flag);
const filters = process.argv.slice(2).filter((argument) => argument !== flag);

if (filters.length > 0) finish([await runVitest('tests', filters)]);
const alone = [...(await runChecks({ buildFailed })), await runCodeTests()];
// Whole products wait more than they work: those in a browser, and beside them all others, one after the other.
const beside = await Promise.all([runBrowserTests().then((result) => [result]), runOtherProducts()]);
finish([...alone, ...beside.flat()]);

async function runOtherProducts(): Promise<StepResult[]> {
  return [
    await runProcessTests(),
    await runLooks(),
    ...(await runProductScripts(runToolBeside)),
    await runStep('chaos, the short form', () =>
      runToolBeside(process.execPath, [join('scripts', 'chaos', 'main.ts'), '--short']),
    ),
  ];
}
