import { expect, test } from 'vitest';
import { roundsIn, wishOf } from './invite.ts';

test.each([
  'しりとりしよう',
  'しりとりをしましょう。りんご',
  'しりとりがしたいです',
  '一緒にしりとりをしませんか',
  '私としりとりで勝負！',
  'シリトリ',
  "let's play shiritori",
  'Can you play shiritori with me?',
  'ちょっとしりとりしよう',
  'しりとりをしたいと思います',
  "Let's start with shiritori",
  'しりとりしよう、ありがとう',
  "That was fun, let's play shiritori again!",
  'しりとり楽しかった！もう一回しりとりしよう',
  '仕事の終わりにしりとりしよう',
])('play with me: %s', (text) => {
  expect(wishOf(text)).toEqual({ kind: 'play' });
});

test.each([
  ['Bとしりとりを5往復してください', 5],
  ['こだまさんと、しりとりを３往復お願いします', 3],
  ['こだまを相手にしりとりをして', 5],
  ['ちょっとこだまさんとしりとりをして', 5],
  ['こだまさんと言葉遊びのしりとりをして', 5],
  ['しりとりを十往復、こだまさんとしてください', 10],
  ['play shiritori with B for 7 rounds', 7],
  ['Please play shiritori with Echo for three rounds', 3],
  ['Play 500 rounds of shiritori with Echo', 19],
])('play with somebody else: %s', (text, rounds) => {
  expect(wishOf(text)).toEqual({ kind: 'play_with_other', rounds });
});

test.each(['しりとりのルールは？', 'しりとりって何ですか', 'How do I play shiritori?'])(
  'rules: %s',
  (text) => {
    expect(wishOf(text)).toEqual({ kind: 'rules' });
  },
);

test.each([
  '進捗は？',
  'りんご',
  'こだまさんとのしりとりの結果は？',
  'しりとり楽しかった、ありがとう',
  'That shiritori was fun!',
  'しりとりはもう終わりにしましょう',
])('nothing of the kind: %s', (text) => {
  expect(wishOf(text)).toBeUndefined();
});

test('rounds are read from the purpose of a conversation', () => {
  expect(roundsIn('しりとり（5往復）')).toBe(5);
  expect(roundsIn('shiritori (12 rounds)')).toBe(12);
  expect(roundsIn('shiritori (1 round)')).toBe(1);
  expect(roundsIn('しりとり')).toBeUndefined();
});
