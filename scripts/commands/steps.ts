import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface StepResult {
  name: string;
  passed: number;
  failed: number;
  /** What failed, one text each; said again at the very end, where a log that was cut still has it. */
  details?: string[];
  /** Of a run of tests: which were red, by file and name. */
  red?: string[];
}

export type RunTool = (file: string, args: string[], env?: Record<string, string>) => Promise<boolean>;

/** Runs a tool of the house with our output; a missing or crashing one is a failure like any other. */
export const runTool: RunTool = async (file, args, env = {}) => {
  const result = await execa(file, args, { ...TOOL, env, stdio: 'inherit' });
  return result.exitCode === 0;
};

/** The same beside another one: what it writes comes in one piece when it has ended. */
export const runToolBeside: RunTool = async (file, args, env = {}) => {
  const result = await execa(file, args, { ...TOOL, env, all: true, stdin: 'ignore' });
  console.log(result.all);
  return result.exitCode === 0;
};

const TOOL = { cwd: root, preferLocal: true, reject: false } as const;

/** Every step reports, even when an earlier one failed. */
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

/** The closing line, and the exit code. */
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
