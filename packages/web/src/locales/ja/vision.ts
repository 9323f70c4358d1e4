export const vision = {
  cardOf: '{{name}} からの画像の依頼',
  asks: '{{name}} が見せてほしいもの',
  whatHappens:
    'モデルが画像を説明します。説明はエージェントに渡され、記憶に残ります。画像は保存しません。ここに貼り付けることもできます。',
  shareScreen: '画面を見せる',
  choose: '画像を選ぶ',
  send: '送る',
  sending: '説明を作成中…',
  decline: '断る',
  chosen: '選んだ画像 {{number}}',
  remove: '画像 {{number}} を外す',
  notSent: '画像を送れませんでした',
  fault: {
    type: '送れるのは PNG、JPEG、WebP だけです。',
    size: '画像は 1 枚 5 MB までです。',
    count: '一度に送れる画像は 5 枚までです。',
    screen: 'ここでは画面を取得できませんでした。画像を選んでください。',
  },
} as const;
