import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { runStep, runTool, type StepResult } from './steps.ts';

const report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numFailedTestSuites: z.number(),
  success: z.boolean(),
});

/** Tests of code first; then, with the machine for themselves, those that run whole products and a browser. */
export async function runAllTests(): Promise<StepResult[]> {
  return [
    await runVitest('unit and integration tests', ['--project=unit', '--project=integration']),
    await runVitest('end-to-end tests', ['--project=e2e']),
  ];
}

/** One run of vitest, each test counted. */
export async function runVitest(name: string, args: readonly string[]): Promise<StepResult> {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-vitest-'));
  const file = join(folder, 'report.json');
  try {
    const step = await runStep(name, () =>
      runTool(process.execPath, [
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
    const { numPassedTests, numFailedTests } = report.parse(JSON.parse(text));
    // A file that could not be loaded has no failed test, yet is a failure.
    return { ...step, passed: numPassedTests, failed: Math.max(numFailedTests, step.failed) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
