import type { Page } from 'playwright-core';
import { z } from 'zod';

/** What a person notices of a page that is used. */
const vitalsSchema = z.object({
  /** How far the layout moved without an input (CLS, without its windows: the sum). */
  layoutShift: z.number(),
  /** From a key or click to the frame after it: the slowest (INP). */
  slowestInputMs: z.number(),
});

/** Runs in the page before everything else. */
export const observeVitals = `(() => {
  const vitals = { layoutShift: 0, slowestInputMs: 0 };
  window.benchVitals = vitals;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) vitals.layoutShift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (entry.interactionId) vitals.slowestInputMs = Math.max(vitals.slowestInputMs, entry.duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
})()`;

export async function readVitals(page: Page): Promise<z.infer<typeof vitalsSchema>> {
  return vitalsSchema.parse(await page.evaluate('window.benchVitals'));
}
