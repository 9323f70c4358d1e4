import { stripVTControlCharacters } from 'node:util';
import { beginningOf } from '../rules/storable-text.ts';
import type { StartError } from './wake-up-queries.ts';

const MAX_LINES = 5;
const MAX_LINE_LENGTH = 500;

/**
 * The end of what a process wrote, without colours and empty lines: a stack or a usage text ends in a line that says
 * little by itself.
 */
export function lastLinesOf(output: string): Pick<StartError, 'lastLine' | 'lastLines'> {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-MAX_LINES)
    .map((line) => beginningOf(line, MAX_LINE_LENGTH));
  return { lastLine: lines.at(-1) ?? null, ...(lines.length > 1 && { lastLines: lines.join('\n') }) };
}
