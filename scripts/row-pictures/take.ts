import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { LOOKS, type Look } from './looks.ts';
import type { Picture, Row, RowState } from './row.ts';
import { Scene } from './scene.ts';
import type { Stage } from './stage.ts';

/** Takes the pictures of one state in every look. A look whose state is not reached is a picture with the failure. */
export async function takeState(
  { row, state, stage, folder }: { row: Row; state: RowState; stage: Stage; folder: string },
  onPicture: (picture: Picture) => void,
): Promise<void> {
  for (const look of LOOKS) {
    const page = await stage.page(look);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    const named = { row: row.id, state: state.name, language: stage.language };
    const add = async (name: string, failure?: string) => {
      const file = `${[row.id, state.name, stage.language, name].join('-')}.png`;
      await page.screenshot({ path: join(folder, file), animations: 'disabled' });
      onPicture({ ...named, look: name, file, ...(failure !== undefined && { failure }) });
    };
    try {
      await state.show(new Scene(page, stage, look));
      await page.waitForFunction('document.fonts.ready.then(() => true)');
      for (const theme of look.themes) {
        await page.emulateMedia({ colorScheme: theme });
        // A page that was not made by the application has its theme from the system alone.
        if ((await page.locator('html[data-theme]').count()) > 0)
          await page.locator(`html[data-theme=${theme}]`).waitFor();
        await add(look.themes.length > 1 ? `${look.name}-${theme}` : look.name);
      }
      await expectNothingBeside(page, look);
      if (faults.length > 0) throw new Error(faults.join('\n'));
    } catch (error) {
      await add(`${look.name}-failed`, error instanceof Error ? error.message : String(error));
    } finally {
      await page.context().close();
    }
  }
}

/** Nothing makes the page wider than its window. */
async function expectNothingBeside(page: Page, look: Look): Promise<void> {
  const width = page.viewportSize()?.width ?? look.width;
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
  if (wide > width) throw new Error(`The page is ${wide} px wide in a window of ${width} px.`);
}
