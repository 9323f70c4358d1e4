import { expect, test } from 'vitest';
import { judge } from './rules.ts';
import { chooseWord } from './words/choose-word.ts';
import { firstSound, kanaWord, lastSound } from './words/kana.ts';
import { makeWordList } from './words/word-list.ts';
import { WORDS } from './words/words.ts';

const LIST = makeWordList();

test.each([
  ['りんご', 'ご'],
  ['きんぎょ', 'よ'],
  ['かぼちゃ', 'や'],
  ['コーヒー', 'ひ'],
  ['マフラー', 'ら'],
  ['ソファー', 'あ'],
  ['エレベーター', 'た'],
  ['みかん', 'ん'],
  ['はなぢ', 'じ'],
  ['みかづき', 'き'],
  ['ﾊﾟﾝﾀﾞ', 'だ'],
  ['ら〜めーす', 'す'],
])('%s goes on with %s', (written, sound) => {
  expect(lastSound(kanaWord(written) ?? '')).toBe(sound);
});

test('katakana, half width and decomposed marks are the same word', () => {
  expect(['ゴリラ', 'ｺﾞﾘﾗ', 'コ\u3099リラ', 'ごりら'].map(kanaWord)).toEqual(Array(4).fill('ごりら'));
  expect(['林檎', 'apple', 'り んご', '', 'ー', 'りんご！'].map(kanaWord)).toEqual(Array(6).fill(undefined));
});

test('the rules, in their order', () => {
  expect(judge('らっぱ', [])).toBe('good');
  expect(judge('らっぱ', ['ごりら'])).toBe('good');
  expect(judge('ぱんだ', ['ごりら'])).toBe('wrong_start');
  expect(judge('みかん', ['ごりら'])).toBe('wrong_start');
  expect(judge('ら', ['ごりら'])).toBe('too_short');
  expect(judge('りんご', ['りんご', 'ごり'])).toBe('repeated');
  expect(judge('らいおん', ['ごりら'])).toBe('loses');
  // Voiced marks stay, small kana are large, what sounds the same is the same.
  expect(judge('こま', ['りんご'])).toBe('wrong_start');
  expect(judge('やま', ['かぼちゃ'])).toBe('good');
  expect(judge('じかん', ['はなぢ'])).toBe('loses');
});

test('the scenario of the use case keeps the rules', () => {
  const said = 'りんご ごりら らっぱ ぱんだ だちょう うさぎ ぎんこう うま まくら'.split(' ');
  said.forEach((word, index) => {
    expect(judge(word, said.slice(0, index))).toBe('good');
    expect(LIST.has(word)).toBe(true);
  });
  expect(judge('らいおん', said)).toBe('loses');
});

test('the list is well formed, without doubles, and can go on from most of its words', () => {
  const entries = WORDS.trim().split(/\s+/);
  const words = entries.map((entry) => entry.split('/')[0] ?? '');
  expect(words.filter((word) => kanaWord(word) !== word)).toEqual([]);
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  expect(words.length).toBeGreaterThan(1000);
  const deadEnds = words.filter(
    (word) => judge(word, []) === 'good' && LIST.startingWith(lastSound(word)).length < 3,
  );
  expect(deadEnds).toEqual([]);
});

test('every line of the list holds words of one sound', () => {
  for (const line of WORDS.trim().split('\n')) {
    expect(new Set(line.split(' ').map(firstSound)).size, line).toBe(1);
  }
});

test('it chooses a word that leaves much to say, never a lost one, and none when there is none', () => {
  for (const chance of [0, 0.3, 0.6, 0.99]) {
    const word = chooseWord(['ごりら'], LIST, () => chance) ?? '';
    expect(judge(word, ['ごりら'])).toBe('good');
    expect(LIST.startingWith(lastSound(word)).length).toBeGreaterThan(20);
  }
  const small = makeWordList('りんご ごりら らいおん らっぱ ぱいん');
  expect(chooseWord(['りんご'], small, () => 0)).toBe('ごりら');
  expect(chooseWord(['りんご', 'ごりら', 'らっぱ'], small, () => 0)).toBeUndefined();
});
