import type { QuestionItem } from '@aizuchi/shared/contract/question';
import type { Language } from '../../../language.ts';

type Option = QuestionItem['options'][number];

interface AskTexts {
  /** At most twelve characters. */
  readonly choice: string;
  readonly decision: string;
  readonly which: (subject: string, several: boolean, rest: readonly string[]) => string;
  readonly yesOrNo: (subject: string) => string;
  readonly yesNo: readonly [Option, Option];
  readonly answered: (answer: string) => string;
  readonly unanswered: Readonly<Record<'timeout' | 'cancelled' | 'unavailable' | 'refused', string>>;
}

/** What the built-in agent says about its question cards, complete in each language by this type. */
export const ASK_TEXTS: Readonly<Record<Language, AskTexts>> = {
  ja: {
    choice: '選択',
    decision: '確認',
    which: (subject, several, rest) =>
      `${subject === '' ? '' : `${subject}：`}${several ? 'どれにしますか？（複数選べます）' : 'どれにしますか？'}${
        rest.length === 0 ? '' : `（${rest.join('、')}のときは「その他」に書いてください）`
      }`,
    yesOrNo: (subject) => (subject === '' ? '進めてよいですか？' : `「${subject}」について、どうしますか？`),
    yesNo: [
      { label: 'はい', description: '' },
      { label: 'いいえ', description: '' },
    ],
    answered: (answer) => `「${answer}」ですね。承知しました。`,
    unanswered: {
      timeout:
        '回答がないまま時間切れになりました。こちらでは何も決めていません。必要なときは、もう一度お声がけください。',
      cancelled: '質問は取り消されました。こちらでは何も決めていません。',
      unavailable: 'いまは質問カードを出せる相手がいないため、お聞きできませんでした。何も決めていません。',
      refused: '質問カードを出せませんでした。何も決めていません。理由は実行ログにあります。',
    },
  },
  en: {
    choice: 'Choice',
    decision: 'Decision',
    which: (subject, several, rest) =>
      `${subject === '' ? 'Which' : `${subject}: which`} ${several ? 'do you choose? (several are possible)' : 'one do you choose?'}${
        rest.length === 0 ? '' : ` (for ${rest.join(', ')} please use "Other")`
      }`,
    yesOrNo: (subject) => (subject === '' ? 'Shall I go on?' : `Your decision, please: ${subject}?`),
    yesNo: [
      { label: 'Yes', description: '' },
      { label: 'No', description: '' },
    ],
    answered: (answer) => `You chose "${answer}". Noted, thank you.`,
    unanswered: {
      timeout: 'Nobody answered in time. I have decided nothing; ask me again when you need it.',
      cancelled: 'The question was cancelled. I have decided nothing.',
      unavailable:
        'There is nobody to whom I could show a question at the moment, so I could not ask. I have decided nothing.',
      refused: 'The question could not be shown. I have decided nothing; the log of the run says why.',
    },
  },
};
