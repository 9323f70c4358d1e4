import type { GameEnd, ShiritoriTexts } from './texts-shape.ts';
import { wordLine } from './trace.ts';

const ENDS: Readonly<Record<GameEnd, string>> = {
  rounds_done: '約束の往復数を終えました。',
  they_lost: '相手の言葉が「ん」で終わり、私の勝ちでした。',
  i_lost: '私が次の言葉を思いつけず、負けてしまいました。',
  broken_rules: '決まりどおりに続けられなかったため、途中で終えました。',
  expired: '相手が会話に応じなかったため、始められませんでした。',
  initiator_ended: '私のほうから終えました。',
  participant_ended: '相手が会話を終えました。',
  timeout: '返事がないまま時間切れになりました。',
  max_messages: '会話のメッセージ数の上限に達しました。',
  chain_limit: 'エージェント同士の会話の上限に達しました。',
  human_stopped: '会話は人の操作で止められました。',
  participant_gone: '相手がプロジェクトからいなくなりました。',
  not_started: '会話は始まる前に取りやめになりました。',
  usage_limit: '片方が 1 日のトークン上限に達しました。',
};

export const SHIRITORI_TEXTS_JA: ShiritoriTexts = {
  opening: 'しりとりですね、喜んで。では私から始めます。',
  wordLine: (word) => wordLine(word),
  yourTurn: (sound) => `次は「${sound}」から始まる言葉をどうぞ。`,
  wrongStart: (word, before, sound) =>
    `「${word}」ですね。でも前の言葉は「${before}」なので、「${sound}」から始まる言葉をお願いします。`,
  longMark: '（のばす音「ー」で終わるときは、その前の音から続けます。）',
  repeated: (word, sound) => `「${word}」はもう出ています。「${sound}」から始まる別の言葉をお願いします。`,
  tooShort: (word) => `「${word}」は一文字なので、二文字以上の言葉でお願いします。`,
  unreadable: (writing) =>
    `すみません、「${writing}」の読み方がわかりません。ひらがなかカタカナで書いてください。`,
  theyLost: (word, words) =>
    `「${word}」は「ん」で終わるので、今回は私の勝ちです。全部で${words}語続きました。楽しかったです。`,
  iGiveUp: (sound, words) =>
    `「${sound}」から始まる言葉がもう思いつきません。参りました、そちらの勝ちです。全部で${words}語続きました。`,
  stopped: (words) => `しりとりはここまでにしましょう。全部で${words}語続きました。ありがとうございました。`,
  reminder: (sound) =>
    sound === undefined
      ? 'しりとりの途中です。最初の言葉をどうぞ。'
      : `しりとりの途中です。「${sound}」から始まる言葉をどうぞ。終わりにするときは「やめる」と書いてください。`,
  rules:
    'しりとりの決まりです。\n- 前の言葉の最後の音から始まる言葉を、交互に言います\n- 小さい「ゃ」「っ」などは大きい音として、のばす音「ー」はその前の音として数えます。濁点はそのままです\n- 一度出た言葉は使えません\n- 「ん」で終わる言葉を言うと負けです\n漢字は読めないことがあるので、ひらがなかカタカナが確実です。「しりとりしよう」で始められます。',
  roundsDone: (rounds) => `${rounds}往復できました。ここで終わりにします。ありがとうございました。`,
  brokenTooOften: '決まりどおりに続けられないようなので、ここで終わりにします。',
  purpose: (rounds) => `しりとり（${rounds}往復）`,
  started: (partner, rounds) =>
    `${partner}さんとしりとりを${rounds}往復します。終わったらここでお知らせします。`,
  partnerUnknown: (agents) =>
    agents.length === 0
      ? 'このプロジェクトには、しりとりの相手になるエージェントがほかにいません。'
      : `だれとしりとりをすればよいかわかりませんでした。このプロジェクトの相手は、${agents.join('、')}です。`,
  partnerIsHuman: (name) =>
    `${name}さんは人なので、私から会話を始めることはできません。エージェントの名前を教えてください。`,
  alreadyTalking: (partner) =>
    `${partner}さんとはもう会話の途中です。それが終わってから、もう一度お声がけください。`,
  couldNotStart: (partner, reason) => `${partner}さんとの会話を始められませんでした。${reason}`,
  mayNotCome: (partner) => `ただし、${partner}さんはいますぐには起動できないかもしれません。`,
  ends: ENDS,
  over: (partner, end, words) =>
    [
      `${partner}さんとのしりとりが終わりました。${ENDS[end]}`,
      ...(words.length > 0 ? [`全部で${words.length}語です：${words.join(' → ')}`] : []),
    ].join('\n'),
};
