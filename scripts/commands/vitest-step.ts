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

/** All vitest projects, each test counted. */
export async function runVitest(filters: string[]): Promise<StepResult> {
  const folder = await mkdtemp(join(tmpdir(), 'aizuchi-vitest-'));
  const file = join(folder, 'report.json');
  try {
    const step = await runStep('unit, integration and e2e tests', () =>
      runTool(process.execPath, [
        join('node_modules', 'vitest', 'vitest.mjs'),
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
        ...filters,
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
