/** `npm test`: everything that CI runs, in its order. Arguments go to vitest and skip the rest. */
import { join } from 'node:path';
import { runChecks } from './checks.ts';
import { runProductScripts } from './product-scripts.ts';
import { finish, runStep, runTool } from './steps.ts';
import { runAllTests, runVitest } from './vitest-step.ts';

const flag = '--build-failed';
const buildFailed = process.argv.includes(flag);
const filters = process.argv.slice(2).filter((argument) => argument !== flag);

if (filters.length > 0) finish([await runVitest('tests', filters)]);
finish([
  ...(await runChecks({ buildFailed })),
  ...(await runAllTests()),
  ...(await runProductScripts()),
  await runStep('chaos, the short form', () =>
    runTool(process.execPath, [join('scripts', 'chaos', 'main.ts'), '--short']),
  ),
]);
