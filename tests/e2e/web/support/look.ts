import type { Page } from 'playwright-core';
import { expectNoViolations } from './axe.ts';
import { screenshot } from './screenshot.ts';

/** Both languages and both widths; what stands there is looked at in light and in dark. */
export const LOOKS = [
  { locale: 'ja', width: 1440 },
  { locale: 'en', width: 360 },
] as const;

/** As it stands there now, in both themes: no violation, and a picture when they are asked for. */
export async function expectGoodLook(page: Page, name: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-theme=${theme}]`).waitFor();
    await screenshot(page, `${name}-${theme}`);
    // The themes differ in nothing but their colours.
    await expectNoViolations(page, theme === 'light' ? [] : ['color-contrast']);
  }
}
