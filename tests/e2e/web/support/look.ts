import type { Page } from 'playwright-core';
import { expectNoViolations } from './axe.ts';
import { screenshot } from './screenshot.ts';

/** Both languages and both widths; each is checked in light and in dark. */
export const LOOKS = [
  { locale: 'ja', width: 1440 },
  { locale: 'en', width: 360 },
] as const;

/**
 * Checks the page in its current state, in both themes: no violation of axe; takes screenshots if they are requested.
 */
export async function expectGoodLook(page: Page, name: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-theme=${theme}]`).waitFor();
    await screenshot(page, `${name}-${theme}`);
    // The themes differ only in their colours.
    await expectNoViolations(page, theme === 'light' ? [] : ['color-contrast']);
  }
}
