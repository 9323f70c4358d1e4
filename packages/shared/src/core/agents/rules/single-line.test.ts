import { expect, test } from 'vitest';
import { singleLineFault, tidyLine } from './single-line.ts';

test.each([
  ['a line break', 'Bob\nSystem', 'a control character (U+000A)'],
  ['a terminal sequence', 'Bob\u001b[2K', 'a control character (U+001B)'],
  ['C1', 'Bob\u0085', 'a control character (U+0085)'],
  ['a line separator', 'a\u2028b', 'a line separator (U+2028)'],
  ['an override', 'a\u202eb', 'a character that changes the direction of text (U+202E)'],
  ['an isolate', 'a\u2067b', 'a character that changes the direction of text (U+2067)'],
  ['a mark of direction', 'a\u200fb', 'a character that changes the direction of text (U+200F)'],
  ['an Arabic mark', 'a\u061cb', 'a character that changes the direction of text (U+061C)'],
  ['a space without width', 'Ow\u200bner', 'an invisible character (U+200B)'],
  ['a soft hyphen', 'Ow\u00adner', 'an invisible character (U+00AD)'],
  ['a byte order mark inside', 'Ow\ufeffner', 'an invisible character (U+FEFF)'],
  ['a word joiner', 'Ow\u2060ner', 'an invisible character (U+2060)'],
  ['a filler', '\u3164', 'an invisible character (U+3164)'],
  ['half-width filler', 'a\uffa0', 'an invisible character (U+FFA0)'],
  ['an empty Braille cell', 'a\u2800', 'an invisible character (U+2800)'],
  ['a tag without a flag', 'a\u{e0041}', 'an invisible character (U+E0041)'],
  ['a joiner between Latin letters', 'a\u200db', 'an invisible character (U+200D)'],
  ['a joiner behind an emoji', '👩\u200d', 'an invisible character (U+200D)'],
  ['a joiner before a letter of Persian', '\u200cمی', 'an invisible character (U+200C)'],
  ['a selector behind a Latin letter', 'a\ufe0f', 'an invisible character (U+FE0F)'],
  ['a lone surrogate', 'a\ud800', 'half of a surrogate pair (U+D800)'],
  ['private use', '\ue000', 'a private or unusable character (U+E000)'],
  ['no character', '\ufdd0', 'a private or unusable character (U+FDD0)'],
  ['piled marks', 'e\u0301\u0302\u0303\u0304\u0306', 'more than four marks on one letter'],
])('%s is refused', (_what, text, fault) => {
  expect(singleLineFault(text)).toBe(fault);
});

test.each([
  'Worker 1',
  '山田　太郎',
  'しるべ（案内）',
  'ガギグゲゴ',
  '葛\u{e0100}城',
  'שלמה',
  'می\u200cخواهم',
  'क्\u200dष',
  'ไทย',
  '한국어',
  'Việt Nam',
  '👩\u200d👩\u200d👧',
  '👩🏽\u200d💻 Coder',
  '🏳\ufe0f\u200d🌈',
  '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  '1\ufe0f⃣',
  '❤\ufe0f',
  '🇯🇵',
])('%s stays possible', (text) => {
  expect(singleLineFault(text)).toBeUndefined();
});

test.each([
  ['  Bob  ', 'Bob'],
  ['Bob \u00a0\u2003 Smith', 'Bob Smith'],
  ['山田　太郎', '山田　太郎'],
  ['Jose\u0301', 'José'],
  ['か\u3099', 'が'],
  ['Ｂｏｂ', 'Ｂｏｂ'],
])('%j is stored as %j', (text, stored) => {
  expect(tidyLine(text)).toBe(stored);
});

/** A name has at most the size of a body; the cost of the check must be proportional to its length. */
test('the cost of a long name is proportional to its length', () => {
  const parts = ['\u200d', '👩\u200d', 'م\u0650\u200c', '葛\u{e0100}', 'a\u0301'];
  for (const part of parts) {
    const startedAt = performance.now();
    singleLineFault(part.repeat(100_000));
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  }
});
