/**
 * `npm run gen:row-pictures -- --out <folder> [--rows 04,d1] [--languages ja]`: brings the running product into the
 * states that docs/design/daily-use.md promises, and takes a picture of each in every look, with a contact sheet
 * `index.html`. A promise that is not on the page fails the command.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../../tests/e2e/web/support/chromium.ts';
import { LANGUAGES, type Language } from '../row-pictures/looks.ts';
import type { Picture } from '../row-pictures/row.ts';
import { ROWS } from '../row-pictures/rows.ts';
import { contactSheet } from '../row-pictures/sheet.ts';
import { Stage } from '../row-pictures/stage.ts';
import { takeState } from '../row-pictures/take.ts';

const { values } = parseArgs({
  options: { out: { type: 'string' }, rows: { type: 'string' }, languages: { type: 'string' } },
});
if (values.out === undefined) {
  console.error('Say where the pictures go: npm run gen:row-pictures -- --out <folder>');
  process.exit(2);
}
const folder = resolve(values.out);
const rows = ROWS.filter(({ id }) => values.rows?.split(',').includes(id) ?? true);
const languages = LANGUAGES.filter((one) => values.languages?.split(',').includes(one) ?? true);
if (rows.length === 0 || languages.length === 0) {
  console.error(`Rows: ${ROWS.map(({ id }) => id).join(', ')}. Languages: ${LANGUAGES.join(', ')}.`);
  process.exit(2);
}

const pictures: Picture[] = [];
await mkdir(folder, { recursive: true });
const browser = await launchChromium();
try {
  for (const language of languages) await takeAll(browser, language);
} finally {
  await browser.close();
}
await writeFile(join(folder, 'index.html'), contactSheet(rows, pictures));
const failed = pictures.filter(({ failure }) => failure !== undefined);
for (const { file, failure } of failed) console.error(`FAILED ${file}: ${failure}`);
console.log(
  `${pictures.length - failed.length} pictures, ${failed.length} failed: ${join(folder, 'index.html')}`,
);
process.exit(failed.length === 0 ? 0 : 1);

async function takeAll(browser: Browser, language: Language): Promise<void> {
  const stage = await Stage.open(browser, language);
  try {
    for (const row of rows)
      for (const state of row.states) {
        console.error(`${language} ${row.id} ${state.name}`);
        await takeState({ row, state, stage, folder }, (picture) => pictures.push(picture));
      }
  } finally {
    await stage.close();
  }
}
