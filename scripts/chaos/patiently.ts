import { until } from '../../tests/e2e/start/product-process.ts';

/** Waits for it, and goes on when it does not come: what is missing is counted. */
export async function patiently(
  condition: () => boolean | Promise<boolean>,
  patienceMs: number,
): Promise<void> {
  await until(condition, patienceMs).catch(() => undefined);
}
