import { expect, test } from 'vitest';
import { CODE_LANGUAGES, isColoured } from './code-languages.ts';
import { codeTokens, knowsLanguage } from './code-tokens.ts';

const coloured = (language: string, text: string) =>
  codeTokens(language, text)
    .filter(({ className }) => className !== undefined)
    .map(({ text: piece, className }) => `${piece}: ${className?.replace('text-ansi-', '')}`);

test('keywords, names, texts, numbers and comments have their colours', () => {
  expect(coloured('ts', "const day = of('31', 2); // last")).toEqual([
    'const: magenta',
    'of: blue',
    "'31': green",
    '2: yellow',
    '// last: dim',
  ]);
});

test('within a text an expression keeps the colour of the text', () => {
  const pieces = codeTokens('js', `\`a \${b} c\``);
  expect(new Set(pieces.map(({ className }) => className))).toEqual(new Set(['text-ansi-green']));
});

test('added and removed lines of a diff differ', () => {
  expect(coloured('diff', '+new\n-old')).toEqual(['+new: green', '-old: red']);
});

test.each([...CODE_LANGUAGES])('%s is known, and the pieces are the text', (language) => {
  expect(knowsLanguage(language)).toBe(true);
  const text = 'a: "b" <c d=\'e\'> # f\n\tif (1) { return `g` } // 終わり 🙂\r\n- h\n';
  const pieces = codeTokens(language, text);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
});

test('a text that is nested too deep stays plain', () => {
  const text = `\${\``.repeat(6_600);
  expect(codeTokens('js', `\`${text}`)).toEqual([{ text: `\`${text}`, className: undefined }]);
});

test('a long text, a long line, many lines and an unknown language stay plain', () => {
  expect(isColoured('ts', `${'x'.repeat(500)}\n`.repeat(39))).toBe(true);
  expect(isColoured('ts', `a\n${'x'.repeat(501)}`)).toBe(false);
  expect(isColoured('TS', 'x')).toBe(true);
  expect(isColoured('ts', `${'x'.repeat(500)}\n`.repeat(40))).toBe(false);
  expect(isColoured('ts', '\n'.repeat(1_999))).toBe(true);
  expect(isColoured('ts', '\n'.repeat(2_000))).toBe(false);
  expect(isColoured('cobol', 'x')).toBe(false);
  expect(isColoured('constructor', 'x')).toBe(false);
});
