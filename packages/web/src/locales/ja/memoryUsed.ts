export const memoryUsed = {
  title: 'この返答に使った記憶',
  loading: '読み込んでいます…',
  nothing: 'この返答のために記憶を探しましたが、使うものはありませんでした。',
  deleted: 'この記憶は、返答のあとで削除されました。',
  gone: 'この返答に使った記憶の記録は、もう残っていません。',
  failed: '使った記憶を読み込めませんでした',
  toMessage: '元の発言',
} as const;
