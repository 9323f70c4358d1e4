export const putAway = {
  order: '片付けた順、新しいものから',
  emptyTitle: '片付けたものはありません',
  emptyText:
    '受信箱で片付けたものと後で見るものが、ここから元に戻せます。すでに解決したもの、もう一度起きたものは出ません。',
  restore: '受信箱に戻す',
  restored: '受信箱に戻しました',
  backAt: '{{time}} に戻ります',
  older: '前のもの',
  key: 'で受信箱に戻す',
} as const;
