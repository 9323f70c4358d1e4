import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tokensOf, wordOf } from './tokens.ts';

const texts = (text: string) => tokensOf(text).map((token) => token.text);

it('words without case, accents and English endings; none that say nothing', () => {
  expect(texts("The Cafés of Caroline's children were running")).toEqual([
    'cafe',
    'carolin',
    'children',
    'run',
  ]);
  expect(texts('２０２６-05-08')).toEqual(['2026', '5', '8']);
  expect(texts('GPT-4o, ﬁle_name')).toEqual(['gpt', '4o', 'file', 'name']);
  expect(texts('Москва')).toEqual(['москва']);
});

it('characters of Han, and pairs of scripts without spaces', () => {
  expect(texts('猫カフェ')).toEqual(['猫', '猫か', 'かふ', 'ふぇ']);
  expect(texts('日々')).toEqual(['日', '日々', '々']);
  expect(texts('コーヒー')).toEqual(['こー', 'ーひ', 'ひー']);
  expect(texts('え')).toEqual(['え']);
  expect(texts('안녕하세요')).toEqual(['안녕', '녕하', '하세', '세요']);
});

it('kana are the same in both scripts, but grammar in hiragana is left out', () => {
  expect(texts('リンゴ')).toEqual(texts('りんご'));
  expect(texts('行きました')).toEqual(['行', '行き', 'きま']);
  expect(texts('マス')).toEqual(['ます']);
  expect(texts('ます')).toEqual([]);
});

it('half-width kana are kana, and both languages stand in one text', () => {
  expect(texts('ﾃﾞｰﾀ')).toEqual(['でー', 'ーた']);
  expect(texts('PTA会議')).toEqual(['pta', '会', '会議', '議']);
});

it('any text has tokens without spaces, the same for its parts in lines', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      expect(texts(`${a}\n${b}`)).toEqual([...texts(a), ...texts(b)]);
      for (const text of texts(a)) expect(text).toMatch(/^\S+$/u);
    }),
  );
});

it('a key of any length is a word of at most 64 characters', () => {
  expect(wordOf('x1'.repeat(500))).toHaveLength(64);
});
