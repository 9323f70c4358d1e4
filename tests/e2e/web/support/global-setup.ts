import type { TestProject } from 'vitest/node';
import { startProduct } from '../../../../scripts/commands/product.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The environment of the product that all files without special settings share. */
    sharedProduct: Record<string, string>;
  }
}

/** Starts one product for all files that create their own projects and agents in it and change nothing else. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // What grows while a test looks would change what it finds; tests of growth start a product of their own.
  // All files call as the same owner, who has one limit of calls.
  const product = await startProduct({ MEMORY_GROWTH: 'off', RATE_LIMIT_PER_MINUTE: '0' });
  project.provide('sharedProduct', product.environment);
  return async () => {
    if (!(await product.stop())) throw new Error('The shared product did not end cleanly.');
  };
}
