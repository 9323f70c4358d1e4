import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProduct } from './product.ts';
import { type RunTool, root, runStep, type StepResult } from './steps.ts';

const folder = join('scripts', 'tests');

/**
 * Runs the bash scripts in `scripts/tests`, one after the other. They share one running product, except those that
 * request one of their own with a line `# product: NAME=value …`.
 */
export async function runProductScripts(run: RunTool): Promise<StepResult[]> {
  const names = (await readdir(join(root, folder))).filter((name) => /^test_.*\.sh$/.test(name)).sort();
  const wishes = await Promise.all(names.map(async (name) => ({ name, variables: await wishOf(name) })));
  const shared = wishes.filter(({ variables }) => variables === undefined).map(({ name }) => name);
  const results = shared.length > 0 ? await runAgainstProduct({}, shared, run) : [];
  for (const { name, variables } of wishes)
    if (variables !== undefined) results.push(...(await runAgainstProduct(variables, [name], run)));
  return results;
}

async function runAgainstProduct(
  variables: Record<string, string>,
  names: readonly string[],
  run: RunTool,
): Promise<StepResult[]> {
  let product: Awaited<ReturnType<typeof startProduct>> | undefined;
  const results = [
    await runStep(`the product starts for ${names.join(', ')}`, async () => {
      product = await startProduct(variables);
      return true;
    }),
  ];
  if (!product) return results;
  const { environment, stop } = product;
  for (const name of names)
    results.push(await runStep(name, () => run('bash', [join(folder, name)], environment)));
  results.push(await runStep('the product stops', stop));
  return results;
}

async function wishOf(name: string): Promise<Record<string, string> | undefined> {
  const line = /^# product: (.+)$/m.exec(await readFile(join(root, folder, name), 'utf8'));
  if (line?.[1] === undefined) return undefined;
  return Object.fromEntries(
    line[1].split(' ').map((pair) => {
      const [variable = '', value = ''] = pair.split('=');
      return [variable, value];
    }),
  );
}
