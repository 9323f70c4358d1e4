import { until } from '../../tests/e2e/start/product-process.ts';

/** Waits for the condition, and goes on when the time is over: the caller counts what is missing. */
export async function patiently(
  condition: () => boolean | Promise<boolean>,
  patienceMs: number,
): Promise<void> {
  await until(condition, patienceMs).catch(() => undefined);
}
