export const common = {
  cancel: 'キャンセル',
  close: '閉じる',
  create: '作成',
  loading: '読み込み中…',
  remove: '外す',
  retry: '再試行',
  save: '保存',
  saved: '保存しました',
  seconds: '{{seconds}} 秒',
} as const;
