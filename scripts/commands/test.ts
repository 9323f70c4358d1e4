/** `npm test`: everything that CI runs, in its order. Arguments go to vitest and skip the rest. */
import { join } from 'node:path';
import { runChecks } from './checks.ts';
import { runProductScripts } from './product-scripts.ts';
import { finish, runStep, runToolBeside, type StepResult } from './steps.ts';
import { runCodeTests, runEndToEndTests, runVitest } from './vitest-step.ts';

const flag = '--build-failed';
const buildFailed = process.argv.includes(flag);
const filters = process.argv.slice(2).filter((argument) => argument !== flag);

if (filters.length > 0) finish([await runVitest('tests', filters)]);
// vitest has a worker for each core, and they wait a sixth of their time: the other stream fills it.
const streams = await Promise.all([runTests(), runOthers()]);
finish(streams.flat());

async function runTests(): Promise<StepResult[]> {
  return [await runCodeTests(), await runEndToEndTests()];
}

async function runOthers(): Promise<StepResult[]> {
  return [
    ...(await runChecks({ buildFailed, run: runToolBeside })),
    ...(await runProductScripts(runToolBeside)),
    await runStep('chaos, the short form', () =>
      runToolBeside(process.execPath, [join('scripts', 'chaos', 'main.ts'), '--short']),
    ),
  ];
}
