import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const folder = process.env.AIZUCHI_SCREENSHOTS ?? join(tmpdir(), 'aizuchi-screenshots');

/** To look at beside the mock-ups: `<folder>/<name>.png`. */
export async function screenshot(page: Page, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await page.waitForFunction('document.fonts.ready.then(() => true)');
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}
