import { expect, test } from 'vitest';
import { memoryRequestOf } from './memory-request.ts';

test.each([
  ['猫の名前について前に何て言った？', '猫の名前'],
  ['うちの猫について、前に何と言いましたか', 'うちの猫'],
  ['締め切りについて何て言ったっけ', '締め切り'],
  ['アポロ計画の件、覚えてる？', 'アポロ計画'],
  ['引っ越しの件は覚えていますか？', '引っ越し'],
  ['私の誕生日を覚えてる？', '私の誕生日'],
  ['私の誕生日、覚えてる?', '私の誕生日'],
  ['前に猫について話したよね？', '猫'],
  ['以前、引っ越しのことを何か言いましたか', '引っ越し'],
  ['うちの猫の名前、何だっけ？', 'うちの猫の名前'],
  ['会議はいつだったっけ', '会議'],
  ['駅前の鍵屋について前に何て言った？', '駅前の鍵屋'],
  ['駅前の鍵屋について何て話した？', '駅前の鍵屋'],
  ['お前の名前について何て言った？', 'お前の名前'],
  ['この前、猫のこと何て話したか覚えてる？', '猫'],
  ['2年前に猫について話したよね？', '猫'],
  ['What did I tell you about my cat?', 'my cat'],
  ['Hello, what did I say about the deadline of Apollo?', 'the deadline of Apollo'],
  ['What have I told you about the office', 'the office'],
  ['What did we decide about the logo?', 'the logo'],
  ['Do you remember my birthday?', 'my birthday'],
  ["Do you remember my cat's name?", "my cat's name"],
  ['Can you recall anything about Kyoto?', 'Kyoto'],
  ['Can you remember that day?', 'that day'],
  ['Can you remember that day we met in Paris?', 'that day we met in Paris'],
  ['Do you remember what I said about tea?', 'tea'],
  ['What do you remember about Mori?', 'Mori'],
])('asks what was said before: %s', (text, topic) => {
  expect(memoryRequestOf(text)).toMatchObject({ kind: 'recall', topic });
});

test.each([
  ['うちの猫の名前はモモだと覚えておいて', 'うちの猫の名前はモモだ'],
  ['私の誕生日は5月3日、覚えておいてください。', '私の誕生日は5月3日'],
  ['事務所は5月に引っ越すと覚えて', '事務所は5月に引っ越す'],
  ['ゴミの日は火曜日、覚えて！', 'ゴミの日は火曜日'],
  ['ゴミの日は火曜日だと覚えといて', 'ゴミの日は火曜日だ'],
  ['会議は毎週月曜日ということを覚えておいて', '会議は毎週月曜日'],
  ['覚えておいて：私は紅茶が好きです', '私は紅茶が好きです'],
  ['パスワードの変更は金曜日。忘れないで！', 'パスワードの変更は金曜日'],
  ['ゴミの日は火曜日だとメモしておいて', 'ゴミの日は火曜日だ'],
  ['Remember that my cat is called Momo.', 'my cat is called Momo.'],
  ['Please remember: I drink tea.', 'I drink tea.'],
  ["Don't forget that the office moves in May", 'the office moves in May'],
  ['Remember my birthday is 3 May', 'my birthday is 3 May'],
  ['Remember to buy milk', 'to buy milk'],
  ["Please don't forget to call Mika.", 'to call Mika.'],
  ['I want you to remember that gates rust', 'gates rust'],
  ['I would like you to remember this: gates rust', 'gates rust'],
  ["I'd like you to keep in mind that gates rust", 'gates rust'],
  ['Can you remember that I like tea?', 'I like tea'],
  ['Could you please remember that I am allergic to peanuts?', 'I am allergic to peanuts'],
  ["Remember, I'm allergic to peanuts.", "I'm allergic to peanuts."],
  ['Remember that the docs are at https://x.example/?page=2', 'the docs are at https://x.example/?page=2'],
  ['来週は休みだと覚えておいてくれたら助かります', '来週は休みだ'],
  ['今日決めたこと覚えておいて', '今日決めたこと'],
  ['好きな本は『銀河鉄道の夜』と覚えておいて', '好きな本は『銀河鉄道の夜』'],
  ['Remember my favourite book is "Dune"', 'my favourite book is "Dune"'],
  ['覚えておいて：「私は紅茶が好きです」', '私は紅茶が好きです'],
])('asks to remember: %s', (text, wanted) => {
  expect(memoryRequestOf(text)).toMatchObject({ kind: 'remember', text: wanted });
});

test.each([
  'タスクの進捗を教えてください',
  'うちの猫の名前はモモです',
  '覚えてる？',
  '覚えておいて',
  'こんにちは',
  '何ができますか',
  'しりとりしよう',
  '単語を覚えるのが好きです',
  'How are the tasks going?',
  'Do you remember me?',
  'I remember that day.',
  'Remember to',
  'I want you to remember me',
  'What did I tell you?',
  'What did we talk about yesterday?',
  'What did we discuss last week?',
  '昨日について何を話した？',
  'What can you do?',
  'What did you do?',
  '誕生日を覚えていてくれてありがとう',
  '覚えておいてくれた？',
  '👍',
])('is about something else: %s', (text) => {
  expect(memoryRequestOf(text)).toBeUndefined();
});

test.each([
  '、',
  '。',
  'を',
  'と',
  'は',
  '前',
  '前に',
  '覚え',
  '覚えて',
  'について',
  'の件',
  ' ',
  'a ',
  'remember ',
  'hi, ',
  'please ',
])('a text that repeats "%s" is read in a moment', (unit) => {
  for (const begin of ['', 'あ', 'a'])
    for (const length of [300, 4_000]) {
      const startedAt = performance.now();
      memoryRequestOf((begin + unit.repeat(length)).slice(0, length));
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    }
});
