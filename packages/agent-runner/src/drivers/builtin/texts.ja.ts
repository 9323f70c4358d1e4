import type { BuiltinTexts } from './texts-shape.ts';

export const TEXTS_JA: BuiltinTexts = {
  hello: 'こんにちは。',
  thanks: 'どういたしまして。ほかにも知りたいことがあれば、いつでもどうぞ。',
  identity: (name) =>
    `${name ? `${name}です。` : ''}Aizuchiに組み込まれたエージェントで、AIモデルもネットワークも使わずに、決まったことだけにお答えします。`,
  capabilities:
    'できることは次のとおりです。\n- タスクの進捗をボードから読み取ってお伝えする（例：「タスクの進捗を教えてください」）\n- しりとりの相手をする（例：「しりとりしよう」）。プロジェクトのほかのエージェントとも遊べます\n- 選択肢のカードでお聞きする（例：「紅茶とコーヒーのどちらがいいか私に質問して」）\n- 聞いたことを覚え、以前の話を探す（例：「会議は毎週月曜日だと覚えておいて」「会議について前に何て言った？」）\n- 説明にリストがあるタスクを分ける提案をする（タスクの「分割を頼む」から）\n- 自己紹介（例：「あなたは誰ですか」）\n\n自由な質問や作業は、モデルを使うエージェントをプロジェクトに追加してお任せください。',
  cannot: '申し訳ありません。そのご質問には私ではお答えできません。',
  received: (files) => `ファイルを受け取りました：${files.join('、')}。`,
  cannotRead: '私は中身を読めません。モデルを使うエージェントに送ると、内容を見てもらえます。',
  quote: (excerpt) => `「${excerpt}」について`,
  emptyBoard: 'ボードにはまだタスクがありません。',
  total: (count) => `ボードのタスクは全部で${count}件です。`,
  statusNames: {
    backlog: 'バックログ',
    todo: 'To do',
    in_progress: '進行中',
    blocked: 'ブロック',
    done: '完了',
    cancelled: '中止',
  },
  statusCount: (status, count) => `${status}：${count}件`,
  inProgressHeading: '進行中のタスク：',
  blockedHeading: 'ブロックされているタスク：',
  nothingInProgress: '現在進行中のタスクはありません。',
  task: (title, assignee) =>
    assignee === null ? `「${title}」（担当者なし）` : `「${title}」（担当：${assignee}）`,
  more: (count) => `ほか${count}件`,
};
