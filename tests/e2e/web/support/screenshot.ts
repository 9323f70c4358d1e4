import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const folder = process.env.AIZUCHI_SCREENSHOTS;

/**
 * Takes a screenshot to compare with the mock-ups: `$AIZUCHI_SCREENSHOTS/<name>.png`. Does nothing without the
 * variable.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.waitForFunction('document.fonts.ready.then(() => true)');
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}
