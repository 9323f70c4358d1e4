import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** No violation of any rule of axe, best practices included. */
export async function expectNoViolations(page: Page): Promise<void> {
  // The other mode puts the findings of several frames together on a page of its own; ours have one frame.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary ?? ''}`),
  }));
  expect(found, page.url()).toEqual([]);
}
