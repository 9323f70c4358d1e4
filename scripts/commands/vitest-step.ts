import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeMemoryFolder } from './memory-folder.ts';
import { runStep, runTool, type StepResult } from './steps.ts';
import { TEST_WORKERS } from './test-workers.ts';
import { REPORT_FILE, vitestReport } from './vitest-reporter.ts';

/** All projects in one run: while tests of one project wait, those of another use the CPU. */
export function runAllTests(): Promise<StepResult> {
  return runVitest('tests', []);
}

/** Runs vitest once and counts each test. */
export async function runVitest(name: string, args: readonly string[]): Promise<StepResult> {
  const memory = await makeMemoryFolder(TEST_WORKERS);
  const folder = memory ?? (await mkdtemp(join(tmpdir(), 'aizuchi-vitest-')));
  const file = join(folder, 'report.json');
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', `--reporter=${join(import.meta.dirname, 'vitest-reporter.ts')}`];
  try {
    const step = await runStep(name, () =>
      runTool(process.execPath, [vitest, 'run', ...reporters, ...args], {
        [REPORT_FILE]: file,
        ...(memory && { TMPDIR: memory }),
      }),
    );
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) return { ...step, passed: 0, failed: 1, red: [name] };
    const { passed, failed, failures } = vitestReport.parse(JSON.parse(text));
    const red = failures.map(({ test }) => test);
    return {
      ...step,
      passed,
      failed: Math.max(failed, step.failed),
      details: failures.map(({ test, why }) => `${test}\n  ${why.replaceAll('\n', '\n  ')}`),
      // vitest also fails if it found no test.
      red: red.length === 0 && step.failed > 0 ? [name] : red,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
