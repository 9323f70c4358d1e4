import { expect, test } from 'vitest';
import { goOnQuestion, questionFor } from './conversation-texts.ts';
import { REASONS_EN } from './reason-texts.en.ts';
import { REASONS_JA } from './reason-texts.ja.ts';
import { attemptSummary, reasonText, saidReason } from './reason-texts.ts';
import { runEndText, runError } from './run-texts.ts';
import { reasonParams, systemText } from './system-texts.ts';

const MISSING = { code: 'command_not_found', params: { file: '/opt/x' } };
const EN = "The command /opt/x was not found. Install it, or change the agent's settings.";
const JA = 'コマンド /opt/x が見つかりません。インストールするか、エージェントの設定を変更してください。';

test('a reason is read in the language of its reader', () => {
  expect(reasonText('en', MISSING)).toBe(EN);
  expect(reasonText('ja', MISSING)).toBe(JA);
  expect(saidReason('en', JA, MISSING)).toBe(EN);
});

test('both languages name the same parameters for each reason', () => {
  const names = (text: string) => [...new Set(text.match(/\{\w+\}/g))].toSorted();
  const codes = Object.keys(REASONS_JA) as (keyof typeof REASONS_JA)[];
  for (const code of codes) expect([code, names(REASONS_EN[code])]).toEqual([code, names(REASONS_JA[code])]);
  expect(Object.keys(REASONS_EN)).toEqual(codes);
});

test.each([
  ['of a later release', { code: 'of_tomorrow', params: {} }],
  ['none', undefined],
  ['no own', { code: 'constructor', params: {} }],
])('the finished text counts where the code is unknown: %s', (_, reason) => {
  expect(saidReason('en', 'sorry', reason)).toBe('sorry');
  expect(attemptSummary('en', 'sorry', reason)).toBe('sorry');
});

test('a message of the system puts the reason in, a message without one the text', () => {
  const params = { error: JA, ...reasonParams(MISSING) };
  expect(systemText('en', 'could_not_start', params)).toBe(`The agent could not be started: ${EN}`);
  expect(systemText('ja', 'could_not_start', params)).toBe(`エージェントを起動できませんでした: ${JA}`);
  expect(systemText('en', 'could_not_start', { error: 'sorry' })).toBe(
    'The agent could not be started: sorry',
  );
});

test('the end of a run is told in the language of the reader, whoever has written its error', () => {
  const end = { exitCause: 'could_not_start', error: JA } as const;
  expect(runEndText('en', { ...end, reason: MISSING })?.what).toBe(EN);
  expect(runEndText('en', end)?.what).toBe(JA);
  // The server has made the error of a crash, in its language.
  const crash = { exitCause: 'crashed', exitCode: 7 } as const;
  const error = runError('ja', crash);
  expect(runEndText('en', { ...crash, error, reason: null })).toEqual(runEndText('en', crash));
});

test('the end of an attempt keeps the last line of its process', () => {
  const reason = { code: 'exited', params: { exitCode: 7, lastLine: 'boom' } };
  expect(attemptSummary('ja', 'exit code 7\nboom', reason)).toBe('終了コード 7\nboom');
});

test('a question of the system is asked in the language of its reader, one of an agent as it is', () => {
  const asked = goOnQuestion('ja', { one: 'A', other: 'B', count: 10 });
  expect(questionFor('en', asked)).toEqual(goOnQuestion('en', { one: 'A', other: 'B', count: 10 }));
  const own = { ...asked, reason: undefined };
  expect(questionFor('en', own)).toBe(own);
});
