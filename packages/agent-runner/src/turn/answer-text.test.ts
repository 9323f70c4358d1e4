import { isStorableText } from '@aizuchi/shared/core/rules/storable-text';
import { expect, test } from 'vitest';
import { AnswerText, fitMessage, MAX_ANSWER_TEXT_LENGTH, storableSentence } from './answer-text.ts';

function written(...pieces: string[]): AnswerText {
  const answer = new AnswerText();
  for (const piece of pieces) answer.push(piece);
  return answer;
}

test.each([
  ['U+0000', ['a\u0000b'], 'a\ufffdb'],
  ['a first half alone', ['a\ud83d', 'b'], 'a\ufffdb'],
  ['a second half alone', ['a', '\ude00b'], 'a\ufffdb'],
  ['a first half at the end', ['a\ud83d'], 'a\ufffd'],
  ['a pair in two pieces', ['a\ud83d', '\ude00b'], 'a😀b'],
])('what cannot be stored is replaced, at the same offsets: %s', (_, pieces, text) => {
  const answer = written(...pieces);
  expect(answer.text).toBe(text);
  expect(isStorableText(answer.text)).toBe(true);
  expect(answer.text).toHaveLength(pieces.join('').length);
});

test('an answer is kept up to its limit in code points, and says that it was longer', () => {
  const fits = written('😀'.repeat(MAX_ANSWER_TEXT_LENGTH - 1), '\ud83d', '\ude00');
  expect([fits.isCut, [...fits.text].length]).toEqual([false, MAX_ANSWER_TEXT_LENGTH]);
  fits.push('x');
  expect([fits.isCut, [...fits.text].length]).toEqual([true, MAX_ANSWER_TEXT_LENGTH]);
  fits.push('y');
  expect(fits.text.endsWith('😀')).toBe(true);
});

test('cut back into what is kept, it goes on there; cut back behind that, it stays cut', () => {
  const answer = written('x'.repeat(MAX_ANSWER_TEXT_LENGTH), 'yy');
  answer.truncate(MAX_ANSWER_TEXT_LENGTH + 1);
  expect(answer.isCut).toBe(true);
  answer.truncate(2);
  answer.push('z');
  expect([answer.isCut, answer.text]).toEqual([false, 'xxz']);
});

test('a sentence of a program is bounded and can be stored', () => {
  expect(storableSentence('It says: a\u0000b.')).toBe('It says: a\ufffdb.');
  expect([...storableSentence('😀'.repeat(5_000))]).toHaveLength(700);
});

test('a message that is sent by itself is bounded and can be stored', () => {
  expect(fitMessage(' a\u0000b ')).toBe('a\ufffdb');
  expect(fitMessage('x'.repeat(200_000))).toHaveLength(MAX_ANSWER_TEXT_LENGTH);
});
