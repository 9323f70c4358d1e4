import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { z } from 'zod';
import { root } from './steps.ts';

/** Where the reporter leaves what it has counted. */
export const REPORT_FILE = 'AIZUCHI_VITEST_REPORT';

export const vitestReport = z.object({
  passed: z.number(),
  failed: z.number(),
  /** What failed, by file and name, with the beginning of why. */
  failures: z.array(z.string()),
  /** Red once and green at the next try: a race that somebody has to look for. */
  secondTries: z.array(z.string()),
});

/** Of a failure that the closing lines repeat: enough to know it, the log above has the rest. */
const DETAIL_LENGTH = 600;

/** For `npm test`: counts every test, and keeps what the closing lines have to say. */
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
        ...failed.map((test) => detail(nameOf(test), test.result().errors?.[0])),
        ...unloaded.map((module) => detail(pathOf(module), module.errors()[0])),
        ...unhandledErrors.map((error) => detail('outside of any test', error)),
      ],
      secondTries: tests.filter((test) => test.diagnostic()?.flaky).map(nameOf),
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

function detail(what: string, error: { message?: string; stack?: string } | undefined): string {
  const why = error?.stack ?? error?.message ?? '';
  return `${what}\n  ${why.slice(0, DETAIL_LENGTH).replaceAll('\n', '\n  ')}`;
}
