export const commands = {
  title: '検索と操作',
  placeholder: 'プロジェクト、エージェント、操作を探す…',
  placeholderInProject: '記憶、タスク、チャット、会話、操作を探す…',
  nothing: 'このプロジェクトでは見つかりません。別の言葉で探してください。',
  nothingHere:
    'この名前のページやプロジェクトはありません。タスク・チャット・記憶は、プロジェクトを開くと検索できます。',
  chatWith: 'チャットを開く',
  goTo: '移動',
  view: '表示',
  actions: '操作',
  keys: 'キーの一覧',
  agents: 'エージェント',
  otherAgents: 'ほかのエージェント',
} as const;
