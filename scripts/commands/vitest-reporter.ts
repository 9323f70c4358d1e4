import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { z } from 'zod';
import { root } from './steps.ts';

/** The variable that names the file for the reporter's results. */
export const REPORT_FILE = 'AIZUCHI_VITEST_REPORT';

export const vitestReport = z.object({
  passed: z.number(),
  failed: z.number(),
  /** The failures, by file and name, each with the beginning of its reason. */
  failures: z.array(z.object({ test: z.string(), why: z.string() })),
});

/** Maximum length of a failure in the closing lines; the log above has the full text. */
const DETAIL_LENGTH = 600;

/** For `npm test`: counts every test, and collects what the closing lines report. */
export default class ClosingLinesReporter implements Reporter {
  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
  ): Promise<void> {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const failed = tests.filter((test) => test.result().state === 'failed');
    const unloaded = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0);
    const report: z.infer<typeof vitestReport> = {
      passed: tests.filter((test) => test.result().state === 'passed').length,
      failed: failed.length + unloaded.length + unhandledErrors.length,
      failures: [
        ...failed.map((test) => ({ test: nameOf(test), why: reasonOf(test.result().errors?.[0]) })),
        ...unloaded.map((module) => ({ test: pathOf(module), why: reasonOf(module.errors()[0]) })),
        ...unhandledErrors.map((error) => ({ test: 'outside of any test', why: reasonOf(error) })),
      ],
    };
    const file = process.env[REPORT_FILE];
    if (file) await writeFile(file, JSON.stringify(report));
  }
}

function nameOf(test: TestCase): string {
  return `${pathOf(test.module)}: ${test.fullName}`;
}

function pathOf(module: TestModule): string {
  return relative(root, module.moduleId);
}

function reasonOf(error: { message?: string; stack?: string } | undefined): string {
  return (error?.stack ?? error?.message ?? '').slice(0, DETAIL_LENGTH);
}
