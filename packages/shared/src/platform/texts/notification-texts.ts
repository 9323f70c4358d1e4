import { isolated } from './isolated.ts';
import type { Locale } from './locale.ts';

/** What stands in a notification, in the language of its person. Names and texts of others are isolated. */
interface NotificationTexts {
  readonly asks: (agent: string) => string;
  readonly asksToBeAllowed: (agent: string) => string;
  readonly until: (time: string) => string;
  readonly several: (count: number) => string;
  readonly answer: string;
  readonly open: string;
  readonly testTitle: string;
  readonly testBody: string;
  /** By category, for people who hide texts, and as the second line. */
  readonly hidden: Readonly<
    Record<'question' | 'approval' | 'review' | 'failure' | 'blocked' | 'mention' | 'answer', string>
  >;
}

const TEXTS: Record<Locale, NotificationTexts> = {
  ja: {
    asks: (agent) => `${isolated(agent)} が聞いています`,
    asksToBeAllowed: (agent) => `${isolated(agent)} が許可を求めています`,
    until: (time) => `${time} まで`,
    several: (count) => `${count} 件があなたを待っています`,
    answer: '答える',
    open: '開く',
    testTitle: 'Aizuchi からの試しの通知',
    testBody: '届きました。ここに質問や失敗が届きます。',
    hidden: {
      question: '質問があります',
      approval: '許可を求められています',
      review: '確認を待っている作業があります',
      failure: '失敗がありました',
      blocked: '止まっているタスクがあります',
      mention: 'あなたが呼ばれました',
      answer: '新しい回答があります',
    },
  },
  en: {
    asks: (agent) => `${isolated(agent)} is asking`,
    asksToBeAllowed: (agent) => `${isolated(agent)} asks to be allowed`,
    until: (time) => `until ${time}`,
    several: (count) => `${count} things wait for you`,
    answer: 'Answer',
    open: 'Open',
    testTitle: 'A test from Aizuchi',
    testBody: 'It arrived. Questions and failures will come here.',
    hidden: {
      question: 'A question waits for you',
      approval: 'An agent asks to be allowed',
      review: 'Work waits for your review',
      failure: 'Something failed',
      blocked: 'A task is blocked',
      mention: 'You were mentioned',
      answer: 'There is a new answer',
    },
  },
};

export function notificationTexts(locale: Locale): NotificationTexts {
  return TEXTS[locale];
}
