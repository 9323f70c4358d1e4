import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Checks all rules of axe, best practices included, or only the given rules. */
export async function expectNoViolations(page: Page, rules: readonly string[] = []): Promise<void> {
  // The other mode merges the findings of several frames on a separate page; our pages have one frame.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  if (rules.length > 0) axe.withRules([...rules]);
  else axe.options({ resultTypes: ['violations'] });
  const { violations } = await axe.analyze();
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary ?? ''}`),
  }));
  expect(found, page.url()).toEqual([]);
}
