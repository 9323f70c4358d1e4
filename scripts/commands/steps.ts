import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface StepResult {
  name: string;
  passed: number;
  failed: number;
  /** One text for each failure. They are printed again at the very end, because a truncated log still has its end. */
  details?: string[];
  /** For a run of tests: the failed ones, by file and name. */
  red?: string[];
}

export type RunTool = (file: string, args: string[], env?: Record<string, string>) => Promise<boolean>;

/** Runs a tool of this repository with our output. A missing tool, or one that crashes, counts as a failure. */
export const runTool: RunTool = async (file, args, env = {}) => {
  const result = await execa(file, args, { ...TOOL, env, stdio: 'inherit' });
  return result.exitCode === 0;
};

/** The same in parallel to another tool: its output is printed in one piece when it has ended. */
export const runToolBeside: RunTool = async (file, args, env = {}) => {
  const result = await execa(file, args, { ...TOOL, env, all: true, stdin: 'ignore' });
  console.log(result.all);
  return result.exitCode === 0;
};

const TOOL = { cwd: root, preferLocal: true, reject: false } as const;

/** Every step runs and reports, even if an earlier one failed. */
export async function runStep(name: string, action: () => Promise<boolean>): Promise<StepResult> {
  console.log(`\n# ${name}`);
  const startedAt = Date.now();
  const isGood = await action().catch((error: unknown) => {
    console.error(error);
    return false;
  });
  console.log(`# ${name}: ${isGood ? 'ok' : 'FAILED'} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  return { name, passed: isGood ? 1 : 0, failed: isGood ? 0 : 1 };
}

/** Prints the closing line and exits with the exit code. */
export function finish(results: StepResult[]): never {
  const failures = results.filter((result) => result.failed > 0);
  console.log('');
  for (const { name, failed, details = [] } of failures)
    console.log([`FAILED ${name} (${failed})`, ...details].join('\n'));
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
