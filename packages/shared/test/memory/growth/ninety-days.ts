/** What is said on a day, counted from the first. */
export interface Session {
  readonly day: number;
  readonly turns: readonly string[];
}

const FIRST: readonly (readonly [en: string, ja: string])[] = [
  ['My favourite colour is blue.', '好きな色は青です。'],
  ['I live in Osaka.', '大阪に住んでいます。'],
  ['I have a cat named Tama.', '猫の名前はタマです。'],
  ['I like coffee.', 'コーヒーが好きです。'],
  ['Remind me to pay the rent by tomorrow.', '家賃の支払いを明日までにしないといけません。'],
];
/** Told once, on the day; what is right afterwards stands in the questions. */
const LATER: Readonly<Record<number, readonly [en: string, ja: string]>> = {
  10: ['Actually, my favourite colour is green.', '訂正、好きな色は緑です。'],
  25: ['I moved to Kyoto.', '京都に引っ越しました。'],
  40: ["I don't like coffee.", 'コーヒーは苦手です。'],
  55: ['I am so sad, my grandmother passed away.', '祖母が亡くなって、とても悲しいです。'],
  70: ['My favourite colour is red.', '好きな色は赤です。'],
};
const SMALL_TALK: readonly (readonly [en: string, ja: string])[] = [
  ['The train was late this morning.', '今朝は電車が遅れました。'],
  ['We talked about the garden with Ken.', 'ケンさんと庭の話をしました。'],
  ['Lunch was noodles again.', '昼はまた麺でした。'],
  ['It rained the whole afternoon.', '午後はずっと雨でした。'],
];

/** 19 sessions of 5 turns on every fifth day of 91. */
export function sessionsOf(language: 'en' | 'ja'): Session[] {
  const of = (pair: readonly [string, string]) => pair[language === 'en' ? 0 : 1];
  return Array.from({ length: 19 }, (_, index) => {
    const day = index * 5;
    if (day === 0) return { day, turns: FIRST.map(of) };
    const told = LATER[day];
    const talk = SMALL_TALK.map(
      (pair) => `${of(pair)}${language === 'en' ? ` Day ${day}.` : `${day}日目。`}`,
    );
    const fifth: readonly [string, string] = [
      `Page ${day} of the book is done.`,
      `本の${day}ページまで読みました。`,
    ];
    return { day, turns: [...(told ? [of(told)] : []), ...talk, of(fifth)].slice(0, 5) };
  });
}

export interface Check {
  readonly kind: 'recall' | 'correction' | 'contradiction';
  /** Asked at the end of this day. */
  readonly day: number;
  readonly question: readonly [en: string, ja: string];
  /** What the first hits hold, the right one first. */
  readonly right: readonly [en: string, ja: string];
  readonly wrong?: readonly [en: string, ja: string];
}

export const CHECKS: readonly Check[] = [
  {
    kind: 'recall',
    day: 5,
    question: ['What is the name of my cat?', '猫の名前は何ですか'],
    right: ['Tama', 'タマ'],
  },
  {
    kind: 'recall',
    day: 90,
    question: ['What is the name of my cat?', '猫の名前は何ですか'],
    right: ['Tama', 'タマ'],
  },
  {
    kind: 'correction',
    day: 10,
    question: ['What is my favourite colour?', '好きな色は何ですか'],
    right: ['green', '緑'],
    wrong: ['blue', '青'],
  },
  {
    kind: 'correction',
    day: 90,
    question: ['What is my favourite colour?', '好きな色は何ですか'],
    right: ['red', '赤'],
    wrong: ['green', '緑'],
  },
  {
    kind: 'contradiction',
    day: 40,
    question: ['Do I like coffee?', 'コーヒーは好きですか'],
    right: ["don't like", '苦手'],
    wrong: ['I like coffee', 'コーヒーが好き'],
  },
];
