import { expect, test } from 'vitest';
import { lastLines, lookOf } from './run-words.ts';

test('a run has one look', () => {
  expect(lookOf({ state: 'starting' })).toBe('starting');
  expect(lookOf({ state: 'running' })).toBe('running');
  expect(lookOf({ state: 'running' }, true)).toBe('warm');
  expect(lookOf({ state: 'stopping' }, true)).toBe('stopping');
  expect(lookOf({ state: 'exited', exitCause: 'crashed' }, true)).toBe('crashed');
});

test('who never signed in timed out, who was stopped was stopped', () => {
  expect(lookOf({ state: 'exited', exitCause: 'killed', stopReason: 'timeout' })).toBe('timed_out');
  expect(lookOf({ state: 'exited', exitCause: 'killed', stopReason: 'stopped_by_person' })).toBe('stopped');
});

test('of what it said last, the last', () => {
  expect(lastLines('a\nb\nc\n', 2)).toBe('b\nc');
  expect(lastLines('a', 2)).toBe('a');
});
