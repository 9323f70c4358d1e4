import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** No violation of any rule of axe, best practices included; or of the rules that are named. */
export async function expectNoViolations(page: Page, rules: readonly string[] = []): Promise<void> {
  // The other mode puts the findings of several frames together on a page of its own; ours have one frame.
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
