import { describe, expect, test } from 'vitest';
import { appendToLog, EMPTY_LOG, plainText, shownLines } from './log-lines.ts';

const textsOf = (...pieces: string[]) =>
  shownLines(pieces.reduce(appendToLog, EMPTY_LOG)).map(({ text }) => text);

describe('the lines of a log', () => {
  test('are complete wherever the log was split', () => {
    expect(textsOf('one\ntw', 'o\nthr', 'ee')).toEqual(['one', 'two', 'three']);
    expect(textsOf('one\n', '\n', 'two\n')).toEqual(['one', '', 'two']);
  });

  test('have the colours of the ANSI sequences until these are reset', () => {
    const log = ['a \u001b[31mred\n', 'still\u001b[0m plain\n', 'then\n'].reduce(appendToLog, EMPTY_LOG);
    expect(log.lines.map(({ segments }) => segments)).toEqual([
      [
        { text: 'a ', className: '' },
        { text: 'red', className: 'text-ansi-red' },
      ],
      [
        { text: 'still', className: 'text-ansi-red' },
        { text: ' plain', className: '' },
      ],
      [{ text: 'then', className: '' }],
    ]);
  });

  test('an incomplete sequence is not shown as text', () => {
    expect(textsOf('a\u001b[3', '2mgreen\u001b[m\n')).toEqual(['agreen']);
    expect(textsOf('a\u001b[3')).toEqual(['a']);
  });

  test('markup is text', () => {
    expect(textsOf('<img src=x onerror=alert(1)> &amp;\n')).toEqual(['<img src=x onerror=alert(1)> &amp;']);
  });

  test('titles, cursor movements and bells are not shown', () => {
    expect(textsOf('\u001b]0;title\u0007x\u001b[2K\u001b[1Gy\u0007\n')).toEqual(['xy']);
    expect(plainText('\u001b[1;31mError\u001b[0m: no')).toBe('Error: no');
  });

  test('a progress line shows its last state only', () => {
    expect(textsOf('10 %\r50 %\r100 %\r\n')).toEqual(['100 %']);
    expect(textsOf('\u001b[32m10 %\u001b[0m\r\u001b[32m20 %\u001b[0m\n')).toEqual(['20 %']);
  });
});
