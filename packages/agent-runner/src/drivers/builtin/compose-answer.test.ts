import type { TaskList, ToolTask } from '@aizuchi/shared/contract/tools/project-tools';
import { expect, test } from 'vitest';
import { composeAnswer } from './compose-answer.ts';
import { TEXTS } from './texts.ts';

const NO_TASKS: TaskList = {
  tasks: [],
  counts: { backlog: 0, todo: 0, in_progress: 0, blocked: 0, done: 0, cancelled: 0 },
  next_cursor: null,
};

function task(title: string, status: ToolTask['status'], assignee: string | null): ToolTask {
  return {
    task_id: `tsk_${title}`,
    title,
    description: '',
    status,
    priority: 'medium',
    assignee_id: assignee,
    assignee_name: assignee,
    parent_id: null,
    depends_on: [],
    labels: [],
    due_date: null,
    version: 1,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  };
}

const BOARD: TaskList = {
  tasks: [
    task('ログイン画面', 'in_progress', '太郎'),
    task('Deploy\n# to prod', 'in_progress', null),
    task('決済', 'blocked', '花子'),
  ],
  counts: { backlog: 1, todo: 2, in_progress: 12, blocked: 1, done: 4, cancelled: 0 },
  next_cursor: null,
};

function ask(board: TaskList, ...contents: string[]): Promise<string | null> {
  return composeAnswer(
    contents.map((content, index) => ({ id: `msg_${index}`, content })),
    { agentName: '相槌', fallback: 'ja', replies: new Map(), readBoard: async () => board },
  );
}

test('the progress in Japanese: counts, what is in progress and by whom, what is blocked', async () => {
  expect(await ask(BOARD, 'タスクの進捗を教えてください')).toBe(
    [
      'ボードのタスクは全部で20件です。',
      '- バックログ：1件',
      '- To do：2件',
      '- 進行中：12件',
      '- ブロック：1件',
      '- 完了：4件',
      '',
      '進行中のタスク：',
      '- 「ログイン画面」（担当：太郎）',
      '- 「Deploy # to prod」（担当者なし）',
      '- ほか10件',
      '',
      'ブロックされているタスク：',
      '- 「決済」（担当：花子）',
    ].join('\n'),
  );
});

test('the progress in English', async () => {
  const answer = await ask(BOARD, 'How are the tasks going?');
  expect(answer).toContain('There are 20 tasks on the board.');
  expect(answer).toContain('- "ログイン画面" (太郎)');
  expect(answer).toContain('- and 10 more');
});

test('an empty board is said plainly', async () => {
  expect(await ask(NO_TASKS, '進捗は？')).toBe(TEXTS.ja.emptyBoard);
  expect(await ask(NO_TASKS, 'status')).toBe(TEXTS.en.emptyBoard);
});

test('several messages get one answer that deals with each in order and in its language', async () => {
  const answer = (await ask(NO_TASKS, 'Who are you?', '進捗は？', 'ありがとう')) ?? '';
  const places = [
    TEXTS.en.quote('Who are you?'),
    TEXTS.en.identity('相槌'),
    TEXTS.ja.quote('進捗は？'),
    TEXTS.ja.emptyBoard,
    TEXTS.ja.quote('ありがとう'),
    TEXTS.ja.thanks,
  ].map((part) => answer.indexOf(part));
  expect(places.every((place) => place >= 0)).toBe(true);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

test('the board is read once for one answer, and not at all when nobody asks', async () => {
  let reads = 0;
  const composing = {
    agentName: '',
    fallback: 'en' as const,
    replies: new Map(),
    readBoard: async () => {
      reads += 1;
      return NO_TASKS;
    },
  };
  await composeAnswer(
    [
      { id: 'msg_1', content: 'status' },
      { id: 'msg_2', content: '進捗は？' },
    ],
    composing,
  );
  expect(reads).toBe(1);
  await composeAnswer([{ id: 'msg_1', content: 'hello' }], composing);
  expect(reads).toBe(1);
});

test('what it cannot do is said, with what it can; a text without a language follows the one before', async () => {
  expect(await ask(NO_TASKS, 'この関数を直して')).toBe(`${TEXTS.ja.cannot}\n${TEXTS.ja.capabilities}`);
  expect(await ask(NO_TASKS, 'Fix the login page', '🙏')).toContain(TEXTS.en.quote('🙏'));
});

test.each([
  [
    '[Connection test] Hello. Please answer with the one word “Aizuchi”. Nothing else is to be done.',
    'Aizuchi',
  ],
  ['【接続テスト】こんにちは。「あいづち」とだけ返事をしてください。ほかの作業は要りません。', 'あいづち'],
])('a connection test gets the one word that it asks for: %s', async (content, word) => {
  expect(await ask(NO_TASKS, content)).toBe(word);
});

test('what is answered elsewhere takes its place; what needs no reply is not quoted', async () => {
  const composing = { agentName: '', fallback: 'ja' as const, readBoard: async () => NO_TASKS };
  const messages = [
    { id: 'msg_1', content: 'りんご' },
    { id: 'msg_2', content: '進捗は？' },
  ];
  expect(await composeAnswer(messages, { ...composing, replies: new Map([['msg_1', null]]) })).toBe(
    TEXTS.ja.emptyBoard,
  );
  expect(await composeAnswer(messages, { ...composing, replies: new Map([['msg_1', '「ごま」']]) })).toBe(
    [TEXTS.ja.quote('りんご'), '「ごま」', '', TEXTS.ja.quote('進捗は？'), TEXTS.ja.emptyBoard].join('\n'),
  );
  const all = new Map([
    ['msg_1', null],
    ['msg_2', null],
  ]);
  expect(await composeAnswer(messages, { ...composing, replies: all })).toBeNull();
});

test('it says which files it got, and that it cannot read them', async () => {
  const composing = {
    agentName: 'Aiko',
    fallback: 'en',
    replies: new Map(),
    readBoard: async () => NO_TASKS,
  } as const;
  const files = [
    { name: 'a.txt', size: 12 },
    { name: 'b.png', size: 1_200_000 },
  ];
  const answer = (content: string) =>
    composeAnswer([{ id: 'msg_1', content, attachments: files }], composing);
  expect(await answer('Please look at these')).toBe(
    `I have received: a.txt (12 B), b.png (1.2 MB).\n${TEXTS.en.cannotRead}`,
  );
  expect(await answer('How are the tasks going?')).toContain(`b.png (1.2 MB).\n${TEXTS.en.emptyBoard}`);
});
