import { until } from '../../tests/e2e/start/product-process.ts';

/** Waits for the condition, and goes on when the time is over: the caller counts what is missing. */
export async function untilOrTimeout(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<void> {
  await until(condition, timeoutMs).catch(() => undefined);
}
