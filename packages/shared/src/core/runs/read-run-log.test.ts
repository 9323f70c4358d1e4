import { expect, test } from 'vitest';
import { droppedNote } from '../../contract/run-log.ts';
import { cutLog } from './read-run-log.ts';

const log = Buffer.from('one\ntwo\n三\nfour\n');

test('the last lines, with the numbers of their bytes', () => {
  expect(cutLog(log, { tail: 2 })).toEqual({ text: '三\nfour\n', start: 8, end: 17 });
  expect(cutLog(log, { tail: 99 })).toEqual({ text: log.toString(), start: 0, end: 17 });
  expect(cutLog(log, {})).toMatchObject({ start: 0 });
  expect(cutLog(Buffer.from('no end yet'), { tail: 1 })).toEqual({ text: 'no end yet', start: 0, end: 10 });
  expect(cutLog(Buffer.alloc(0), { tail: 1 })).toEqual({ text: '', start: 0, end: 0 });
});

test('everything from a byte on; beyond the end there is nothing yet', () => {
  expect(cutLog(log, { from: 8 })).toEqual({ text: '三\nfour\n', start: 8, end: 17 });
  expect(cutLog(log, { from: 17 })).toEqual({ text: '', start: 17, end: 17 });
  expect(cutLog(log, { from: 1_000 })).toEqual({ text: '', start: 17, end: 17 });
});

test('a byte keeps its number when the beginning of the log was dropped', () => {
  const rest = Buffer.concat([Buffer.from(droppedNote(1_000)), log]);
  expect(cutLog(rest, { from: 1_008 })).toEqual({ text: '三\nfour\n', start: 1_008, end: 1_017 });
  expect(cutLog(rest, { from: 0 })).toEqual({ text: log.toString(), start: 1_000, end: 1_017 });
  expect(cutLog(rest, { tail: 1 })).toEqual({ text: 'four\n', start: 1_012, end: 1_017 });
});

test('a character that is written only in part waits for the rest', () => {
  const whole = Buffer.from('三');
  for (const cut of [1, 2]) {
    const part = Buffer.concat([log, whole.subarray(0, cut)]);
    expect(cutLog(part, { from: 17 })).toEqual({ text: '', start: 17, end: 17 });
  }
  expect(cutLog(Buffer.concat([log, whole]), { from: 17 })).toEqual({ text: '三', start: 17, end: 20 });
});
