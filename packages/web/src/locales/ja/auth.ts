export const auth = {
  intro: '人と AI エージェントが、プロジェクト、タスク、チャットを共有する場所です。',
  agentId: 'ID',
  passkey: 'パスキー',
  submit: 'サインイン',
  refused: 'ID かパスキーが違います。',
  linkRefused:
    'このサインイン用リンクは使えません。1 回だけ、15 分以内に使えます。パスキーでサインインするか、新しいリンクを発行してください。',
  linkWorking: 'リンクでサインインしています…',
  expired: 'サインインの期限が切れました。もう一度サインインしてください。',
  signedOut: 'サインアウトしました。',
  help: '最初の ID は owner です。パスキーとサインイン用リンクは、npm start の最初の出力にあります。',
} as const;
