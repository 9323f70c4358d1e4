import { expect, test } from 'vitest';
import { askRequestOf } from './ask-request.ts';

test.each([
  ['紅茶とコーヒーのどちらがいいか私に質問して', ['紅茶', 'コーヒー']],
  ['赤、青、緑のどれがいいか、選択肢で聞いて', ['赤', '青', '緑']],
  ['「そば」「うどん」「カレー」を選択肢で聞いてください', ['そば', 'うどん', 'カレー']],
  ['そばかうどんかを私に質問してください', ['そば', 'うどん']],
  ['ReactまたはVueを私に質問して', ['React', 'Vue']],
  ['おかし、くだものと、おちゃのどれがいいか私に質問して', ['おかし', 'くだもの', 'おちゃ']],
  ['どの色が好きか私に聞いて: 赤, 青', ['赤', '青']],
  ['何を食べたいか、わたしに質問してください：そば、うどん、カレー', ['そば', 'うどん', 'カレー']],
  ['紅茶とコーヒーのどちらがいいか私に質問してもらえますか', ['紅茶', 'コーヒー']],
  ['紅茶とコーヒーのどちらがいいか私に質問していただけますか', ['紅茶', 'コーヒー']],
  ['カレーとからあげのどちらがいいか私に質問して', ['カレー', 'からあげ']],
  ['とんかつとからあげのどちらがいいか私に質問して', ['とんかつ', 'からあげ']],
  ['あとでやるか今やるか聞いて', ['あとでやる', '今やる']],
  ['ことりかねこか私に質問して', ['ことり', 'ねこ']],
  ['Ask me whether tea, coffee or water.', ['tea', 'coffee', 'water']],
  ['Please ask me whether I want tea or coffee', ['tea', 'coffee']],
  ['ask me to choose between red and blue', ['red', 'blue']],
  ['Ask me which one: tabs, spaces', ['tabs', 'spaces']],
])('options from what the person named: %s', (text, options) => {
  expect(askRequestOf(text)?.options).toEqual(options);
});

test('what it is about stands before the options', () => {
  expect(askRequestOf('お昼ごはんは、そばかうどんかを私に質問して')).toMatchObject({
    subject: 'お昼ごはん',
    options: ['そば', 'うどん'],
  });
  expect(askRequestOf('どの色が好きか私に聞いて：赤、青')).toMatchObject({
    subject: 'どの色が好き',
    options: ['赤', '青'],
  });
  expect(askRequestOf('Ask me about lunch: soba, udon or curry')).toMatchObject({
    subject: 'about lunch',
    options: ['soba', 'udon', 'curry'],
  });
});

test.each([
  ['おかしを買うかを私に質問して', 'おかしを買う', 'ja'],
  ['公開してよいかを私に質問して', '公開してよい', 'ja'],
  ['公開するかどうか私に質問して', '公開する', 'ja'],
  ['Ask me if a meeting is necessary', 'if a meeting is necessary', 'en'],
  ['仕事のことを私に質問して', '仕事のこと', 'ja'],
  ['Ask me whether to deploy or not', 'whether to deploy', 'en'],
  ['Ask me whether or not to deploy', 'whether to deploy', 'en'],
  ['Ask me whether to deploy today', 'whether to deploy today', 'en'],
])('without options it is yes or no: %s', (text, subject, language) => {
  expect(askRequestOf(text)).toEqual({ subject, options: [], multiSelect: false, language });
});

test('several may be chosen when the person says so', () => {
  expect(askRequestOf('赤、青、緑のどれがいいか、複数選べる選択肢で聞いて')).toMatchObject({
    options: ['赤', '青', '緑'],
    multiSelect: true,
  });
  expect(askRequestOf('Ask me which of red, green or blue, all that apply')?.multiSelect).toBe(true);
});

test.each([
  '質問してもいいですか',
  'タスクの進捗を教えてください',
  'ちょっと聞いていい？',
  '話を聞いてください',
  '私に質問してください',
  'You can ask me.',
  'How are the tasks going?',
  'Do not ask me later',
  '何か質問して',
  'Ask me a question',
  '進捗を教えてください。不明点があれば私に聞いてください。',
  'Tell me the progress. Ask me if anything is unclear.',
  'こちらについて聞いてもいいですか',
  '明日の会議が何時からか聞いてる？',
  '田中さんに来週空いているか聞いて',
])('no wish to be asked: %s', (text) => {
  expect(askRequestOf(text)).toBeUndefined();
});
