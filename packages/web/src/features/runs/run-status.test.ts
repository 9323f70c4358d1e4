import { expect, test } from 'vitest';
import { lastLines, statusOf } from './run-status.ts';

test('a run has one status', () => {
  expect(statusOf({ state: 'starting' })).toBe('starting');
  expect(statusOf({ state: 'running' })).toBe('running');
  expect(statusOf({ state: 'running' }, true)).toBe('warm');
  expect(statusOf({ state: 'stopping' }, true)).toBe('stopping');
  expect(statusOf({ state: 'exited', exitCause: 'crashed' }, true)).toBe('crashed');
});

test('a killed run timed out or was stopped, by its stop reason', () => {
  expect(statusOf({ state: 'exited', exitCause: 'killed', stopReason: 'timeout' })).toBe('timed_out');
  expect(statusOf({ state: 'exited', exitCause: 'killed', stopReason: 'stopped_by_person' })).toBe('stopped');
});

test('the last lines of the output', () => {
  expect(lastLines('a\nb\nc\n', 2)).toBe('b\nc');
  expect(lastLines('a', 2)).toBe('a');
});
