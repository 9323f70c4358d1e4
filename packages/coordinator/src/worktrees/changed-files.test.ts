import { expect, test } from 'vitest';
import { cutLines, parseFiles, sectionsOf } from './changed-files.ts';

const RAW = ':100644 100644 aaa bbb';

test('raw lines and counts belong together by their order, whatever the names contain', () => {
  const parts = [
    `${RAW} M`,
    'a\tb',
    `${RAW} R087`,
    'old\nname',
    'new',
    ':100644 000000 a 0 D',
    ':100644 x',
    `${RAW} T`,
    'link',
  ];
  const counts = ['1\t2\ta\tb', '3\t0\t', 'old\nname', 'new', '-\t-\t:100644 x', '1\t1\tlink'];
  expect(parseFiles([...parts, ...counts])).toEqual([
    { path: 'a\tb', status: 'modified', additions: 1, deletions: 2 },
    { path: 'new', status: 'renamed', oldPath: 'old\nname', additions: 3, deletions: 0 },
    { path: ':100644 x', status: 'deleted', additions: 0, deletions: 0, isBinary: true },
    { path: 'link', status: 'type_changed', additions: 1, deletions: 1 },
  ]);
});

test('a patch is divided at its heads, not at lines that look like them', () => {
  const first = '@@ -1 +1 @@\n-diff --git a/x b/x\n+@@ -1 +1 @@\n';
  const patch = `diff --git a/f b/f\nindex 1..2\n--- a/f\n+++ b/f\n${first}diff --git "a/\\n" "b/\\n"\nnew file mode 100644\n`;
  expect(sectionsOf(patch)).toEqual([first, '']);
});

test('only a line feed ends a line: another break inside of a line begins no head', () => {
  const breaks = ['\r', '\u2028', '\u2029'];
  const first = `@@ -1 +1 @@\n-a\n+${breaks.map((one) => `${one}diff --git a/x b/x${one}@@ -1 +1 @@`).join('')}\n`;
  const second = '@@ -1 +1 @@\n-rm -rf /\n+b\n';
  const patch = `diff --git a/f b/f\n--- a/f\n+++ b/f\n${first}diff --git a/g b/g\n--- a/g\n+++ b/g\n${second}`;
  expect(sectionsOf(patch)).toEqual([first, second]);
});

test('a diff is cut at the end of a line; its size is that of its JSON', () => {
  expect(cutLines('+a\n+b\n', 100)).toEqual({ text: '+a\n+b\n', wasCut: false });
  expect(cutLines('+a\n+b\n', 7)).toEqual({ text: '+a\n', wasCut: true });
  expect(cutLines('+"""\n', 7)).toEqual({ text: '', wasCut: true });
});
