import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { root, runStep, runTool, runToolBeside, type StepResult } from './steps.ts';

const report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numFailedTestSuites: z.number(),
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string().optional(),
      status: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});
type Report = z.infer<typeof report>;

/** Of a failure that the closing lines repeat: enough to know it, the log above has the rest. */
const DETAIL_LENGTH = 600;

/**
 * Tests of code first; then those that run whole products, one at a time in a browser and one at a time beside it:
 * each waits more than it works.
 */
export async function runAllTests(): Promise<StepResult[]> {
  const code = await runVitest('unit and integration tests', ['--project=unit', '--project=integration']);
  const products = await Promise.all([
    runVitest('end-to-end tests in a browser', ['--project=e2e', 'tests/e2e/web/']),
    runVitest(
      'end-to-end tests of processes',
      ['--project=e2e', '--exclude=tests/e2e/web/**'],
      runToolBeside,
    ),
  ]);
  return [code, ...products];
}

/** One run of vitest, each test counted. */
export async function runVitest(
  name: string,
  args: readonly string[],
  run: (file: string, args: string[]) => Promise<boolean> = runTool,
): Promise<StepResult> {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-vitest-'));
  const file = join(folder, 'report.json');
  try {
    const step = await runStep(name, () =>
      run(process.execPath, [
        join('node_modules', 'vitest', 'vitest.mjs'),
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
        ...args,
      ]),
    );
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) return { ...step, passed: 0, failed: 1 };
    const results = report.parse(JSON.parse(text));
    return {
      ...step,
      passed: results.numPassedTests,
      // A file that could not be loaded has no failed test, yet is a failure.
      failed: Math.max(results.numFailedTests, step.failed),
      details: failures(results),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What failed, by file and name, with the beginning of why. */
function failures({ testResults }: Report): string[] {
  return testResults.flatMap((file) => {
    const path = relative(root, file.name);
    const tests = file.assertionResults.filter(({ status }) => status === 'failed');
    if (tests.length === 0 && file.status === 'failed') return [detail(path, file.message)];
    return tests.map((test) => detail(`${path}: ${test.fullName}`, test.failureMessages?.[0]));
  });
}

function detail(what: string, why = ''): string {
  return `${what}\n  ${why.slice(0, DETAIL_LENGTH).replaceAll('\n', '\n  ')}`;
}
