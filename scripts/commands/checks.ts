import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { generateRowTypes } from './row-types.ts';
import { root, runStep, runTool, type StepResult } from './steps.ts';

const cruiseResult = z.object({
  summary: z.object({
    totalCruised: z.number(),
    error: z.number(),
    violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});
/** Fewer would mean that the tool did not understand our sources and has checked nothing. */
const fewestModules = 50;

/** What can be said without running the product. */
export async function runChecks(options: { buildFailed: boolean }): Promise<StepResult[]> {
  const results = [
    await runStep('build', async () => !options.buildFailed),
    await runStep('format and lint', () => runTool('biome', ['check', '--error-on-warnings', '.'])),
    await runStep('types', () =>
      runTool(process.execPath, [
        join('node_modules', 'typescript7', 'bin', 'tsc'),
        '-p',
        'tsconfig.tools.json',
      ]),
    ),
    await runStep('dependency rules', checkDependencyRules),
    await runStep('unused code (knip)', () => runTool('knip', ['--no-progress'])),
    await runStep('row types match the migrations', () => generateRowTypes({ verify: true })),
    await runStep('lockfile without addresses', lockfileHasNoAddress),
  ];
  return results;
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

/** A lockfile that names a registry works only where that registry is. */
async function lockfileHasNoAddress(): Promise<boolean> {
  const lockfile = await readFile(join(root, 'pnpm-lock.yaml'), 'utf8');
  return !/\btarball: https?:/.test(lockfile);
}
