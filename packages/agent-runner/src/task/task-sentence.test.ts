import { expect, test } from 'vitest';
import { en } from '../drivers/acp/texts/texts.en.ts';
import { ja } from '../drivers/acp/texts/texts.ja.ts';
import { en as claudeEn } from '../drivers/claude/texts.en.ts';
import { ja as claudeJa } from '../drivers/claude/texts.ja.ts';
import { EN } from '../drivers/openai/texts/texts.en.ts';
import { JA } from '../drivers/openai/texts/texts.ja.ts';
import { taskSentence } from './task-sentence.ts';

/** As an argument it is shown as what it holds. */
const THING = ['X'];

function sentencesOf(texts: object): string[] {
  return Object.values(texts).map((text: unknown) =>
    String(typeof text === 'function' ? Reflect.apply(text, undefined, [THING, THING, THING, THING]) : text),
  );
}

test.each([
  ['acp', en.failures],
  ['claude', claudeEn.failures],
  ['openai', EN.fault],
])('no sentence of %s sends a person of a task to a chat', (_name, texts) => {
  for (const sentence of sentencesOf(texts))
    expect(taskSentence(sentence)).not.toMatch(
      /\bsend the|message\b|new context|"go on"|\bask (again|for less)/i,
    );
});

test.each([
  ['acp', ja.failures],
  ['claude', claudeJa.failures],
  ['openai', JA.fault],
])('nor one of %s in Japanese', (_name, texts) => {
  for (const sentence of sentencesOf(texts))
    expect(taskSentence(sentence)).not.toMatch(
      /送信して|送信すると|送信するか|と送ると|メッセージを|新しいコンテキスト/,
    );
});

test('it says what to do with the task', () => {
  expect(taskSentence('Wait a minute, then send the message again.')).toBe(
    'Wait a minute, then move the task to In progress again.',
  );
  expect(taskSentence('It ended. Send the message again.')).toBe(
    'It ended. Move the task to In progress again.',
  );
  expect(taskSentence('確認してから、もう一度送信してください。')).toBe(
    '確認してから、タスクをもう一度「進行中」に移してください。',
  );
});
