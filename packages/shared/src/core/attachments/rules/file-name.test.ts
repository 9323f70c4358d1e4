import { expect, test } from 'vitest';
import { cleanFileName } from './file-name.ts';

const clean = (name: string) => cleanFileName(name, 'file');

test.each([
  ['report.pdf', 'report.pdf'],
  ['議事録 2026年.txt', '議事録 2026年.txt'],
  // NFD, as macOS gives it.
  ['\u304b\u3099.txt', '\u304c.txt'],
  ['/etc/../passwd', 'passwd'],
  ['C:\\Users\\me\\a.png', 'a.png'],
  ['../../', 'file'],
  ['..', 'file'],
  ['', 'file'],
  ['folder/', 'folder'],
  ['line\r\nSet-Cookie: x=1.txt', 'lineSet-Cookie_ x=1.txt'],
  ['nul\u0000byte.txt', 'nulbyte.txt'],
  // Shown as photo_exe.png without the override.
  ['photo_\u202egnp.exe', 'photo_gnp.exe'],
  ['zero\u200bwidth\ufeff.md', 'zerowidth.md'],
  ['quote".txt', 'quote_.txt'],
  ['.htaccess', 'htaccess'],
  ['con.txt', '_con.txt'],
  ['  many   spaces .md ', 'many spaces .md'],
  ['half \ud83d.png', 'half .png'],
])('%j becomes %j', (given, expected) => {
  expect(clean(given)).toBe(expected);
});

test('a long name keeps its extension, and whole characters', () => {
  const long = clean(`${'あ'.repeat(300)}.markdown`);
  expect(long).toHaveLength(120);
  expect(long).toMatch(/あ\.markdown$/);
  expect(clean(`${'x'.repeat(119)}😀${'y'.repeat(50)}`)).toBe('x'.repeat(119));
  expect(clean(`a${'\u0301'.repeat(40)}.txt`).normalize('NFD')).toHaveLength(9);
});
