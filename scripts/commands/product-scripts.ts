import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startProduct } from './product.ts';
import { root, runStep, runTool, type StepResult } from './steps.ts';

/** The bash scripts in `scripts/tests`, one after the other against one running product. */
export async function runProductScripts(): Promise<StepResult[]> {
  const folder = join('scripts', 'tests');
  const names = (await readdir(join(root, folder))).filter((name) => /^test_.*\.sh$/.test(name)).sort();
  if (names.length === 0) return [];
  const results: StepResult[] = [];
  let product: Awaited<ReturnType<typeof startProduct>> | undefined;
  results.push(
    await runStep('the product starts', async () => {
      product = await startProduct();
      return true;
    }),
  );
  if (!product) return results;
  const { environment, stop } = product;
  for (const name of names) {
    results.push(await runStep(name, () => runTool('bash', [join(folder, name)], environment)));
  }
  results.push(await runStep('the product stops', stop));
  return results;
}
