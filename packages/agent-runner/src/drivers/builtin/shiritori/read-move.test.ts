import { describe, expect, test } from 'vitest';
import { readMove } from './read-move.ts';
import { firstSound } from './words/kana.ts';
import { makeWordList } from './words/word-list.ts';
import { WORDS } from './words/words.ts';

const LIST = makeWordList();
const read = (text: string, wanted?: string) => readMove(text, wanted, LIST);

describe('a word, however it is written', () => {
  test.each([
    ['りんご', 'りんご'],
    ['リンゴ！', 'りんご'],
    ['林檎', 'りんご'],
    ['りんごです', 'りんご'],
    ['りんごだよ〜', 'りんご'],
    ['じゃあ、りんご', 'りんご'],
    ['えっと…りんご', 'りんご'],
    ['しりとりをしましょう。りんご', 'りんご'],
    ["Let's play shiritori. ringo", 'りんご'],
    ['私は「ごりら」です。次は「ら」ですね。', 'ごりら'],
    ['「らふれしあ」でお願いします', 'らふれしあ'],
    ['ringo', 'りんご'],
    ['OK, gorira', 'ごりら'],
    ['コーヒー', 'こーひー'],
    ['消しゴム', 'けしごむ'],
    ['ぱんだ', 'ぱんだ'],
    ['らふれしあ', 'らふれしあ'],
    ['らふれしあです。', 'らふれしあ'],
  ])('%s', (text, word) => {
    expect(read(text)).toEqual({ kind: 'word', word });
  });
});

test('of several readings the one that fits', () => {
  expect(read('雨')).toEqual({ kind: 'word', word: 'あめ' });
  expect(read('火', 'ひ')).toEqual({ kind: 'word', word: 'ひ' });
  expect(read('つばき、いや、ごりら', 'ご')).toEqual({ kind: 'word', word: 'ごりら' });
});

test('every word of the list is read as itself where it is wanted, also one that is a filler elsewhere', () => {
  const words = WORDS.trim()
    .split(/\s+/)
    .map((entry) => entry.split('/')[0] ?? '');
  const misread = words.filter((word) => {
    const move = read(word, firstSound(word));
    return move.kind !== 'word' || move.word !== word;
  });
  expect(misread).toEqual([]);
  expect(read('はい。', 'は')).toEqual({ kind: 'word', word: 'はい' });
  expect(read('はい、はさみ', 'は')).toEqual({ kind: 'word', word: 'はさみ' });
  expect(read('はい？', 'は')).toEqual({ kind: 'other' });
  expect(read('はい', 'ら')).toEqual({ kind: 'other' });
  expect(read('はい')).toEqual({ kind: 'other' });
});

test('a short noun that ends like a sentence is a word where it is wanted', () => {
  for (const text of ['みょうが', '次は、みょうが！', 'みょうがです。'])
    expect(read(text, 'み')).toEqual({ kind: 'word', word: 'みょうが' });
  for (const [text, wanted] of [
    ['みょうが', 'り'],
    ['かんがえてもいいかな', 'か'],
    ['かも？', 'か'],
    ['もうない', 'も'],
    ['どうかな', 'ど'],
  ] as const)
    expect(read(text, wanted)).toEqual({ kind: 'other' });
});

test.each([
  'やめる',
  'もうやめましょう',
  '参りました',
  'おわり',
  '降参です',
  'I give up',
  'stop',
  'わからない',
])('the wish to stop: %s', (text) => {
  expect(read(text, 'ら')).toEqual({ kind: 'stop' });
});

test('kanji that nobody has taught it is said to be unreadable, not taken for talk', () => {
  expect(read('麒麟児')).toEqual({ kind: 'unreadable', writing: '麒麟児' });
});

test.each([
  'タスクの進捗を教えてください',
  'How are the tasks going?',
  '今日の天気は？',
  'ちょっとまってください',
  'I think that is the same as before',
  'apple',
  'ありがとう',
  '👍',
  '',
])('talk is no word: %s', (text) => {
  expect(read(text, 'あ')).toEqual({ kind: 'other' });
});
