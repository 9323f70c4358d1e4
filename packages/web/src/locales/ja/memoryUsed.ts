export const memoryUsed = {
  title: 'この返答に使った記憶',
  loading: '読み込んでいます…',
  nothing: 'この返答のために記憶を探しましたが、使うものはありませんでした。',
  deleted: 'この記憶は、返答のあとで削除されました。',
  gone: 'この返答に使った記憶の記録は、もう残っていません。',
  failed: '使った記憶を読み込めませんでした',
  toMessage: '元の発言',
  correct: '違います。直す',
  right: '正しい内容',
  rightHint: 'この記憶を置き換えます。前の内容は履歴に残ります。',
  corrected: '直しました。今の内容: {{text}}',
  toMemory: '記憶を開く',
} as const;
