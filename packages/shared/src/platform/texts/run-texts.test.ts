import { describe, expect, test } from 'vitest';
import { EXIT_CAUSES } from '../../core/runs/rules/run-machine.ts';
import { EXIT_REASONS } from '../../core/sessions/rules/session-machine.ts';
import { runEndText, runError } from './run-texts.ts';

describe.each(['ja', 'en'] as const)('%s', (locale) => {
  test.each(EXIT_CAUSES)('%s has its sentence', (exitCause) => {
    expect(runEndText(locale, { exitCause })?.what).toMatch(/[。.]$/);
  });

  test.each(['crashed', 'stalled', 'lost', 'could_not_start'] as const)('%s says what to do', (exitCause) => {
    expect(runEndText(locale, { exitCause, exitCode: 7 })?.remedy).toMatch(/[。.]$/);
    expect(runError(locale, { exitCause, exitCode: 7 })).not.toBeNull();
  });

  test('each reason to stop a run is told apart', () => {
    const reasons = [...EXIT_REASONS, 'stopped_by_person', 'timeout', 'session_timeout', null];
    const texts = reasons
      .filter((reason) => reason !== 'run_stopped')
      .map((stopReason) => runEndText(locale, { exitCause: 'killed', stopReason })?.what);
    expect(new Set(texts).size).toBe(texts.length);
  });
});

test('how it crashed is said: code, signal, or quietly with work undone', () => {
  const end = (exitCode: number | null, signal: string | null = null) =>
    runError('en', { exitCause: 'crashed', exitCode, signal });
  expect(end(7)).toContain('exit code 7');
  expect(end(null, 'SIGSEGV')).toContain('SIGSEGV');
  expect(end(null, 'SIGKILL')).toContain('memory');
  expect(end(0)).toContain('get_next_action');
  // The Coordinator knew more.
  const error = 'It needed more than its 64 MiB of memory.';
  expect(runError('en', { exitCause: 'crashed', signal: 'SIGKILL', error })).toBe(error);
});

test('what the Coordinator says of a start stands as it is; an end that was wanted is no error', () => {
  expect(runError('ja', { exitCause: 'could_not_start', error: 'X がありません。' })).toBe(
    'X がありません。',
  );
  expect(runError('en', { exitCause: 'lost', error: 'The node is gone.' })).toBe('The node is gone.');
  const reason = { code: 'node_lost', params: { node: 'node-2' } };
  expect(runError('en', { exitCause: 'lost', error: 'ノード', reason })).toMatch(
    /^The node node-2 of the swarm/,
  );
  expect(runError('en', { exitCause: 'lost', error: '失われました', reason: null })).not.toContain(
    '失われました',
  );
  expect(runError('en', { exitCause: 'killed', stopReason: 'stopped_by_person' })).toBeNull();
  expect(runError('en', { exitCause: 'killed', stopReason: 'timeout' })).toContain('passkey');
  expect(runError('en', { exitCause: 'finished' })).toBeNull();
  expect(runError('en', { exitCause: null })).toBeNull();
});
