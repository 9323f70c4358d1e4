import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { generateRowTypes } from './row-types.ts';
import { type RunTool, root, runStep, runTool, type StepResult } from './steps.ts';

const cruiseResult = z.object({
  summary: z.object({
    totalCruised: z.number(),
    error: z.number(),
    violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});
/** A lower number means that the tool did not understand the sources and has checked nothing. */
const fewestModules = 50;

/** All checks that do not need the running product. */
export async function runChecks({
  buildFailed,
  run = runTool,
}: {
  buildFailed: boolean;
  run?: RunTool;
}): Promise<StepResult[]> {
  const results = [
    await runStep('build', async () => !buildFailed),
    await runStep('format and lint', () => run('biome', ['check', '--error-on-warnings', '.'])),
    await runStep('types', () => checkTypes(run)),
    await runStep('dependency rules', checkDependencyRules),
    await runStep('unused code (knip)', () => run('knip', ['--no-progress'])),
    await runStep('row types match the migrations', () => generateRowTypes({ verify: true })),
    await runStep('lockfile without addresses', lockfileHasNoAddress),
  ];
  return results;
}

/**
 * Checks the packages first, as they are built for each other, then everything with its tests. The compiler trusts
 * its cache, also when its output was removed, so after an error the check runs again without the cache.
 * One thread: more share the work of two cores badly and need twice the CPU time.
 */
async function checkTypes(run: RunTool): Promise<boolean> {
  const tsc = (...args: string[]) =>
    run(process.execPath, [join('node_modules', 'typescript7', 'bin', 'tsc'), ...args, '--singleThreaded']);
  const areGood = (await tsc('-b')) || (await tsc('-b', '--force'));
  return (await tsc('-p', 'tsconfig.tools.json')) && areGood;
}

async function checkDependencyRules(): Promise<boolean> {
  const { stdout } = await execa(
    'depcruise',
    ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'packages', 'scripts', 'tests'],
    { cwd: root, preferLocal: true, reject: false, maxBuffer: 500_000_000 },
  );
  const { summary } = cruiseResult.parse(JSON.parse(stdout));
  for (const { rule, from, to } of summary.violations) console.log(`${rule.name}: ${from} → ${to}`);
  console.log(`${summary.totalCruised} modules`);
  return summary.error === 0 && summary.totalCruised >= fewestModules;
}

/** A lockfile that names a registry works only where that registry is reachable. */
async function lockfileHasNoAddress(): Promise<boolean> {
  const lockfile = await readFile(join(root, 'pnpm-lock.yaml'), 'utf8');
  return !/\btarball: https?:/.test(lockfile);
}
