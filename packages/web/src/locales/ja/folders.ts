export const folders = {
  label: '作業フォルダーを選ぶ',
  way: 'フォルダーの場所',
  places: '許可された場所',
  inside: '{{folder}} の中のフォルダー',
  empty: 'この中にフォルダーはありません。',
  use: 'このフォルダーを使う',
  looksLikeAnother: '見分けのつかない名前のフォルダーがほかにもあります',
  isCut: '多すぎるため一部だけを表示しています。ほかのフォルダーはパスを書いてください。',
  leftOut_other: '名前を文字で表せないフォルダー {{count}} 個は表示していません。',
  newOne: '新しいフォルダーは、使うフォルダーのパスの後に名前を書くと作られます。',
  keys: { move: 'で移る', open: 'で開く', up: 'で上へ' },
} as const;
