import { expect, test } from 'vitest';
import { type ClaudeResult, parseClaudeMessage } from './claude-message.ts';
import { failureSentence, startSentence } from './failures.ts';
import { en } from './texts.en.ts';
import { ja } from './texts.ja.ts';

function resultOf(more: object): ClaudeResult {
  const message = parseClaudeMessage({ type: 'result', subtype: 'success', is_error: true, ...more });
  if (message.type !== 'result') throw new Error('no result');
  return message;
}
const sentence = (more: object, kind?: string, text = '') =>
  failureSentence(
    { result: resultOf(more), error: kind === undefined ? undefined : { kind, text }, model: 'm1' },
    en.failures,
  );

test.each([
  ['authentication_failed', {}, /not signed in/],
  ['authentication_failed', { api_error_status: 401 }, /was refused/],
  ['billing_error', {}, /credit/],
  ['model_not_found', {}, /The model m1 does not exist/],
  ['server_error', { api_error_status: 529 }, /overloaded/],
  ['server_error', { api_error_status: 500 }, /\(500\)/],
  ['server_error', {}, /could not be reached/],
  ['a_later_kind', {}, /could not answer: said/],
])('%s %j', (kind, more, expected) => {
  expect(sentence(more, kind, 'API Error: said.')).toMatch(expected);
});

test('without a report of an error the result itself says why', () => {
  expect(sentence({ subtype: 'error_during_execution', errors: ['Hook failed'] })).toContain('Hook failed');
  expect(sentence({ subtype: 'error_max_turns' })).toContain('error_max_turns');
  expect(sentence({ terminal_reason: 'prompt_too_long' }, 'invalid_request')).toMatch(/too long/);
  expect(sentence({ result: 'x'.repeat(900) }).length).toBeLessThan(400);
});

test('every text exists in both languages, and Japanese is Japanese', () => {
  expect(Object.keys(ja.failures)).toEqual(Object.keys(en.failures));
  expect(startSentence(new Error('spawn x ENOENT'), '/c', 1_000, ja.failures)).toMatch(/見つから/);
  const late = new Error(
    'Subprocess initialization did not complete within 60000ms. Claude Code did not answer',
  );
  for (const error of [new Error('timed out'), late])
    expect(startSentence(error, '/c', 60_000, en.failures)).toMatch(/did not answer for 60 s/);
});
