import type { Picture, Row } from './row.ts';

/** The contact sheet: each row with its promise and its pictures, one line for each state and language. */
export function contactSheet(rows: readonly Row[], pictures: readonly Picture[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Rows of daily use</title>
<style>
  body { margin: 24px; font: 14px/1.5 sans-serif; background: #fff; color: #222; }
  h2 { margin: 32px 0 4px; font-size: 16px; }
  p { margin: 0 0 8px; }
  .line { display: flex; align-items: flex-start; gap: 12px; margin: 8px 0; }
  figure { margin: 0; }
  figcaption { font-size: 12px; }
  figcaption.failed { color: #b00020; white-space: pre-wrap; max-width: 480px; }
  img { height: 260px; border: 1px solid #ccc; }
</style>
<h1>Rows of daily use</h1>
${rows.map((row) => section(row, pictures)).join('\n')}
</html>
`;
}

function section({ id, promise, states }: Row, pictures: readonly Picture[]): string {
  const ofRow = pictures.filter(({ row }) => row === id);
  const languages = [...new Set(ofRow.map(({ language }) => language))];
  const lines = states.flatMap(({ name }) =>
    languages.map((language) =>
      ofRow.filter((picture) => picture.state === name && picture.language === language),
    ),
  );
  return `<h2 id="${id}">${id}</h2>
<p>${escaped(promise)}</p>
${lines.map((line) => `<div class="line">${line.map(figure).join('')}</div>`).join('\n')}`;
}

function figure({ file, failure }: Picture): string {
  const caption =
    failure === undefined
      ? `<figcaption>${escaped(file)}</figcaption>`
      : `<figcaption class="failed">${escaped(`${file}\n${failure}`)}</figcaption>`;
  return `<figure><a href="${escaped(file)}"><img src="${escaped(file)}" alt="${escaped(file)}" loading="lazy"></a>${caption}</figure>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ESCAPES[letter] ?? letter);
}
