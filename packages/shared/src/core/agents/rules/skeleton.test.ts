import { describe, expect, test } from 'vitest';
import { looksLike, skeletonsOf } from './skeleton.ts';

describe('names that look alike', () => {
  test.each([
    ['Worker 1', 'Worker l'],
    ['Worker 1', 'Worker I'],
    ['Worker I', 'Worker l'],
    ['Worker |', 'Worker 1'],
    ['Worker 10', 'Worker 1O'],
    ['worker-1', 'worker–1'],
    ['Owner', 'owner'],
    ['Owner', 'OWNER'],
    ['Owner', '0wner'],
    // Cyrillic, Greek, several at once, and capitals only.
    ['Owner', 'Оwnеr'],
    ['Alice', 'Αlice'],
    ['Bob', 'Вob'],
    ['TOM', 'ТОМ'],
    ['Tom', 'ТОМ'],
    ['Tom', 'Torn'],
    ['Owner', 'Ｏｗｎｅｒ'],
    ['Owner', '𝓞𝔀𝓷𝓮𝓻'],
    ['Owner', 'Ow\u200bner'],
    ['Straße', 'STRASSE'],
    ['José', 'Jose\u0301'],
    ['Bob  Smith', 'Bob Smith'],
    ['山田　太郎', '山田 太郎'],
    ['オーナー', 'ｵｰﾅｰ'],
    ['オーナー', 'オ一ナ一'],
    ['オーナー', 'オ—ナ—'],
    ['オーナー', 'オ-ナ-'],
    ['オーナー', '才ーナー'],
    ['ヘルパー', 'へルパー'],
    ['ベータ', 'べータ'],
    ['ロボ', '口ボ'],
    ['カオル', '力オル'],
    ['ニナ', '二ナ'],
    ['タロウ', '夕ロウ'],
    ['エミ', '工ミ'],
    ['リサ', 'りサ'],
    ['ハナ', '八ナ'],
    ['土田', '士田'],
  ])('%s, %s', (one, other) => {
    expect(looksLike(one, other)).toBe(true);
    expect(looksLike(other, one)).toBe(true);
  });
});

/** Ordinary names: all of them may exist side by side. */
test('names that differ are accepted', () => {
  const names = [
    ...['Worker 1', 'Worker 2', 'Worker 3', 'Worker 11', 'Worker 12', 'worker', 'Workers'],
    ...[
      'Alice',
      'Alicia',
      'Bob',
      'Rob',
      'Elia',
      'Ella',
      'Mila',
      'Nina',
      'Tim',
      'Tom',
      'Jose',
      'José',
      'Jürgen',
    ],
    ...['Coder', 'Code', 'Reviewer', 'Review', 'Tester', 'Planner', 'Beacon', 'Echo', 'Coordinator'],
    ...[
      'しるべ',
      'こだま',
      'さくら',
      'サクラ',
      '桜',
      'はな',
      '花',
      'ハル',
      'はる',
      '春',
      'かな',
      'がな',
      'ばば',
      'ぱぱ',
    ],
    ...[
      '佐藤',
      '斎藤',
      '齋藤',
      '斉藤',
      '伊藤',
      '渡辺',
      '渡邊',
      '大田',
      '太田',
      '犬田',
      '山田太郎',
      '山田次郎',

      '上田',
    ],
    ...[
      'シロ',
      'ツロ',
      'ソラ',
      'ンラ',
      'レビュー担当',
      'テスト担当',
      '実装担当',
      'エージェント1',
      'エージェント2',
    ],
    ...['محمد', 'أحمد', 'שלמה', 'שלום', 'Иван', 'Мария', '🤖', '👩', '👨'],
  ];
  const pairs = names.flatMap((one, index) =>
    names.slice(index + 1).flatMap((other) => (looksLike(one, other) ? [[one, other]] : [])),
  );
  expect(pairs).toEqual([]);
});

test('characters that cannot be seen leave nothing in the skeleton', () => {
  expect(skeletonsOf('\u200b \u2800')).toEqual(['', '']);
});
