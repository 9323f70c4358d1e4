import { expect, test } from 'vitest';
import { type DiffLine, diffLines, patchLines } from './diff-lines.ts';

const plain = (lines: readonly DiffLine[]) =>
  lines.map((line) =>
    line.kind === 'gap' || line.kind === 'cut'
      ? '…'
      : `${line.number} ${{ same: ' ', add: '+', del: '-' }[line.kind]} ${line.parts
          .map(({ text, isMarked }) => (isMarked ? `[${text}]` : text))
          .join('')}`,
  );

test('numbers, signs, and the words that differ', () => {
  const before = 'const [y] = split(text);\nreturn new Date(text);\nend\n';
  const after = 'const [y] = split(text);\nif (!y)\n  throw y;\n\nreturn new Date(y, tz);\nend\n';
  const { lines, added, removed } = diffLines(before, after);
  expect(plain(lines)).toEqual([
    '1   const [y] = split(text);',
    '2 - return new Date([text]);',
    '2 + if (!y)',
    '3 +   throw y;',
    '4 + ',
    '5 + return new Date([y, tz]);',
    '6   end',
  ]);
  expect([added, removed]).toEqual([4, 1]);
});

test('unchanged lines far from a change are left out', () => {
  const text = Array.from({ length: 30 }, (_, line) => `line ${line + 1}`);
  const after = text.with(4, 'five').with(24, 'twenty-five');
  const { lines } = diffLines(text.join('\n'), after.join('\n'));
  expect(plain(lines).slice(0, 4)).toEqual(['3   line 3', '4   line 4', '5 - line 5', '5 + five']);
  expect(lines.filter(({ kind }) => kind === 'gap')).toHaveLength(1);
});

test('a new and a deleted file, with no remark about the last line break', () => {
  expect(plain(diffLines('', 'a\nb').lines)).toEqual(['1 + a', '2 + b']);
  expect(plain(diffLines('a\n', '').lines)).toEqual(['1 - a']);
});

const side = (name: string, lines: number) =>
  Array.from({ length: lines }, (_, line) => `${name} ${line}`).join('\n');

test('texts that have nothing in common are removed and added as a whole', () => {
  const { added, removed, lines } = diffLines(side('old', 900), side('new', 900));
  expect([added, removed, lines.length]).toEqual([900, 900, 1_800]);
});

test('a diff of very many lines holds the first ones, counts all, and says how many it has cut', () => {
  const { added, removed, lines } = diffLines('', '\n'.repeat(60_000));
  expect([added, removed, lines.length]).toEqual([60_000, 0, 2_001]);
  expect(lines.at(-1)).toEqual({ kind: 'cut', count: 58_000 });
});

test('words are compared in a limited number of lines', () => {
  // Changes of twelve lines each, one word in each line; between them, more lines than a context has.
  const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ');
  const text = (name: string) =>
    Array.from({ length: 600 }, (_, line) =>
      line % 24 < 12 ? `${line} ${name} ${words}` : `same ${line}`,
    ).join('\n');
  const { lines } = diffLines(text('old'), text('new'));
  const marked = lines.filter((line) => 'parts' in line && line.parts.some((part) => part.isMarked));
  expect(lines.filter(({ kind }) => kind === 'del')).toHaveLength(300);
  // Each change takes 144 comparisons of 500.
  expect(marked).toHaveLength(3 * 24);
});

test('a diff as git writes it: numbers of both sides, gaps between its parts, also when it is cut', () => {
  const patch =
    '@@ -3,2 +3,2 @@ function a() {\n same\n-const a = 1;\n+const a = 2;\n\\ No newline\n@@ -10 +11,9 @@\n+--- more\n';
  const { lines, added, removed } = patchLines(patch);
  expect([added, removed]).toEqual([2, 1]);
  expect(
    lines.map((line) =>
      line.kind === 'gap' || line.kind === 'cut'
        ? line.kind
        : `${line.kind} ${line.number} ${line.parts.map(({ text }) => text).join('|')}`,
    ),
  ).toEqual(['same 3 same', 'del 4 const a = |1|;', 'add 4 const a = |2|;', 'gap', 'add 11 --- more']);
});
