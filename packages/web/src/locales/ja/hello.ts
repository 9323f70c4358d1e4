/** The test message to an agent, and what the page shows of it. */
export const hello = {
  title: '「こんにちは」を試す',
  start: '試す',
  running: 'テスト中',
  again: 'もう一度',
  project: '試すプロジェクト',
  intro:
    '「{{project}}」のチャットに、テストと分かるメッセージを 1 つ送り、起動から回答までにかかった時間を段階ごとに示します。',
  message: '【接続テスト】こんにちは。「{{word}}」とだけ返事をしてください。ほかの作業は要りません。',
  word: 'あいづち',
  steps: 'テストの段階',
  step: {
    place: 'ホストの引き受け',
    process: 'プロセスの起動',
    sign_in: 'サインイン',
    delivered: 'メッセージの配信',
    first_text: '最初の言葉',
    answered: '回答',
  },
  state: { done: ' 完了', current: ' 進行中', failed: ' 失敗', open: ' これから' },
  notYet: 'まだ',
  wasReady: '起動済み',
  unseen: 'このページが気付く前に終わりました。かかった時間は次の段階に含まれます。',
  asks: 'エージェントがあなたの回答を待っています。チャットで答えてください。',
  otherAnswer:
    '回答に「{{word}}」がありません。エラーの説明であれば、そこに書かれた対処をしてから、もう一度試してください。',
  toRuns: '実行ログを見る',
  toChat: 'チャットを開く',
} as const;
