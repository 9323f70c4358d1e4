import { expect, test } from 'vitest';
import { appendToLog, EMPTY_LOG, type LogLine } from './log-lines.ts';
import { findLines, markMatches } from './log-search.ts';

const linesOf = (text: string) => appendToLog(EMPTY_LOG, text).lines;
const markedIn = (line: LogLine | undefined, words: string) =>
  line && markMatches(line, words).map(({ text, isMark }) => (isMark ? `[${text}]` : text));

test('finds lines, ignoring case', () => {
  const lines = linesOf('Month-End\nother\nmonth-end again\n');
  expect(findLines(lines, ' month-END ')).toEqual([0, 2]);
  expect(findLines(lines, '  ')).toEqual([]);
});

test('marks every match, also across colours', () => {
  const [line] = linesOf('a month\u001b[31m-end\u001b[0m and MONTH-END\n');
  expect(markedIn(line, 'month-end')).toEqual(['a ', '[month]', '[-end]', ' and ', '[MONTH-END]']);
});

test('without a search nothing is marked', () => {
  expect(markedIn(linesOf('aaa\n')[0], '')).toEqual(['aaa']);
  expect(markedIn(linesOf('aaa\n')[0], 'aa')).toEqual(['[aa]', 'a']);
});
