/** A text, the same in other words, and something else with words of the first. */
export type Paraphrase = readonly [text: string, paraphrase: string, distractor: string];

/** By these a model is measured, once: what it finds decides how much its vectors count (rules/embedding-weight.ts). */
export const PARAPHRASES: readonly Paraphrase[] = [
  [
    'My dog is ill and has to see the vet.',
    'The puppy needs an animal doctor.',
    'My dog won the race at the park.',
  ],
  [
    'We missed the last train home.',
    'There was no more railway connection back.',
    'We bought a model train for home.',
  ],
  ['She is afraid of flying.', 'Sitting in an aeroplane scares her.', 'She is fond of flying kites.'],
  [
    'He lost his job last month.',
    'The company dismissed him four weeks ago.',
    'He lost his umbrella last month.',
  ],
  [
    'The kitchen tap drips all night.',
    'Water leaks from the faucet while we sleep.',
    'The kitchen light burns all night.',
  ],
  [
    'I cannot eat anything with nuts.',
    'Almonds and peanuts make me sick.',
    'I cannot open the jar with nuts.',
  ],
  [
    'They are getting married in June.',
    'The wedding is at the start of summer.',
    'They are getting a new roof in June.',
  ],
  [
    'Please remind me to pay the rent.',
    'Do not let me forget the money for the flat.',
    'Please remind me to water the plants.',
  ],
  [
    'The server ran out of disk space.',
    'There was no storage left on the machine.',
    'The server ran to the table with a tray.',
  ],
  [
    'Our son has started to learn the violin.',
    'The boy takes lessons on a string instrument.',
    'Our son has started to learn to swim.',
  ],
  [
    'It rained through the whole holiday.',
    'We had wet weather on every day of our trip.',
    'It was the best whole holiday for years.',
  ],
  [
    'Her grandfather was a fisherman.',
    'Her mother’s father caught fish for a living.',
    'Her grandfather was a watchmaker.',
  ],
  ['犬の具合が悪いので獣医に行く。', '子犬が病気だから動物病院へ連れていく。', '犬の散歩で公園に行く。'],
  ['終電を逃して家に帰れなかった。', '最後の列車に間に合わず帰宅できなかった。', '終電の写真を家に飾った。'],
  ['飛行機に乗るのが怖い。', '空の旅は恐ろしくて苦手だ。', '飛行機の模型を作るのが好きだ。'],
  ['先月、会社をくびになった。', '四週間前に仕事を失った。', '先月、会社の車を洗った。'],
  [
    '台所の蛇口から一晩中水が漏れる。',
    '夜の間ずっとキッチンで水滴が落ちている。',
    '台所の窓から一晩中月が見える。',
  ],
  [
    'ナッツが入ったものは食べられない。',
    'アーモンドやピーナッツはアレルギーで無理だ。',
    'ナッツが入った瓶を買った。',
  ],
  ['二人は六月に結婚する。', '婚礼は夏の初めに行われる。', '二人は六月に引っ越す。'],
  [
    '家賃を払うのを忘れないように言って。',
    '部屋代の支払いを思い出させてほしい。',
    '花に水をやるのを忘れないように言って。',
  ],
  ['サーバーの容量がいっぱいになった。', '機械の保存領域が足りなくなった。', 'サーバーの色が青になった。'],
  ['息子がバイオリンを習い始めた。', '男の子が弦楽器のレッスンに通っている。', '息子が水泳を習い始めた。'],
  ['休暇の間ずっと雨だった。', '旅行中は毎日天気が悪かった。', '休暇の間ずっと本を読んだ。'],
  ['祖父は漁師だった。', '母の父は魚を捕って暮らしていた。', '祖父は時計職人だった。'],
];
