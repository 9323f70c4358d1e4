export const commands = {
  title: 'コマンド',
  placeholder: 'プロジェクト、エージェント、タスク、操作を探す…',
  nothing: '見つかりません。別の言葉で探してください。',
  chatWith: 'チャットを開く',
  goTo: '移動',
  view: '表示',
} as const;
