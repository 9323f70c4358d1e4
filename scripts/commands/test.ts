/**
 * `npm test`: everything that CI runs, in the same order. Arguments are passed to vitest; the other steps are then
 * skipped.
 */
import { join } from 'node:path';
import { runChecks } from './checks.ts';
import { runProductScripts } from './product-scripts.ts';
import { finish, runStep, runToolBeside, type StepResult } from './steps.ts';
import { runAllTests, runVitest } from './vitest-step.ts';

const flag = '--build-failed';
const buildFailed = process.argv.includes(flag);
const filters = process.argv.slice(2).filter((argument) => argument !== flag);

if (filters.length > 0) finish([await runVitest('tests', filters)]);
const [tests, others] = await Promise.all([runAllTests(), runOthers()]);
finish([tests, ...others]);

async function runOthers(): Promise<StepResult[]> {
  return [
    ...(await runChecks({ buildFailed, run: runToolBeside })),
    ...(await runProductScripts(runToolBeside)),
    await runStep('chaos, the short form', () =>
      runToolBeside(process.execPath, [join('scripts', 'chaos', 'main.ts'), '--short']),
    ),
  ];
}
