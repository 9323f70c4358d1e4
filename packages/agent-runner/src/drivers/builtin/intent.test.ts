import { describe, expect, test } from 'vitest';
import { type Intent, recognise } from './intent.ts';

const PHRASINGS: Record<Intent, readonly string[]> = {
  progress: [
    'タスクの進捗を教えてください',
    'タスクの進捗はどうですか？',
    '進捗どうですか',
    '進捗は？',
    'こんにちは。タスクの進捗を教えてください',
    'タスクの状況を教えて',
    '今の状況は？',
    '作業は進んでいますか',
    'プロジェクトの進行状況を知りたい',
    'ボードの様子を見せて',
    '残っているタスクはありますか',
    '進行中のタスクは？',
    'ブロックされているものはありますか',
    '誰が何をやっていますか',
    'タスクは何件ありますか',
    'ＴＯＤＯの一覧を見せて',
    'How are the tasks going?',
    'how are the tasks going',
    "How's the project going?",
    'How is it going with the work?',
    'Hello! How are the tasks coming along?',
    "What's the status of the tasks?",
    'Give me a progress report',
    'status',
    'Any updates?',
    'An update on the tasks, please',
    'What is in progress?',
    'Is anything blocked?',
    'Who is working on what?',
    'list the tasks',
    'Show me all open tasks',
    'How many tasks are there?',
    'Task status, please',
  ],
  capabilities: [
    '何ができますか',
    'なにができるの？',
    'できることを教えてください',
    '使い方を教えて',
    'ヘルプ',
    'What can you do?',
    'How can you help me?',
    'help',
    'タスクについて何ができますか',
  ],
  identity: [
    'あなたは誰ですか',
    'あなたは何者ですか？',
    '自己紹介をしてください',
    'お名前は？',
    '名前は？',
    'ところで、お名前を教えてください',
    'あなたの名前は何ですか',
    '君の名前は？',
    'Who are you?',
    "What's your name?",
    'Are you a bot?',
  ],
  greeting: [
    'こんにちは',
    'おはようございます',
    'はじめまして',
    'お疲れさまです',
    'Hi',
    'Hello!',
    'Good morning',
  ],
  thanks: ['ありがとう', 'ありがとうございます！', '助かりました', 'Thanks', 'Thank you very much'],
  unknown: [
    '今日の天気は？',
    'この関数を直してください',
    'What is the capital of France?',
    'Please fix the login page',
    'Please update the project description',
    'タスクを作ってください',
    'うちの猫の名前はモモで、犬の名前はポチです。',
    'うちの猫、名前はモモです',
    '猫の名前は？',
    '猫のお名前を教えてください',
    '君の猫の名前は？',
    '山田君の名前は知っています',
    '私の名前は太郎です',
    '名前はモモです',
    'この会社の社長は誰ですか',
    'The name of my cat is Momo.',
    "My cat's name is Momo.",
    'My name is Taro.',
    'What is the name of my cat?',
    '👍',
    '123',
    'high five',
  ],
};

describe.each(Object.entries(PHRASINGS))('%s', (intent, phrasings) => {
  test.each(phrasings)('%s', (phrasing) => {
    expect(recognise(phrasing).intent).toBe(intent);
  });
});

test('a question with a greeting is the question, and greets', () => {
  expect(recognise('Hello! How are the tasks going?')).toEqual({ intent: 'progress', greets: true });
  expect(recognise('進捗を教えてください')).toEqual({ intent: 'progress', greets: false });
});
