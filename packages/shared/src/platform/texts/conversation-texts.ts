import type { QuestionItem } from '../../contract/question.ts';
import type { Reason } from '../../contract/reason.ts';
import { isolated } from './isolated.ts';
import type { Locale } from './locale.ts';

interface GoOnTexts {
  readonly header: string;
  readonly question: (names: { one: string; other: string; count: number }) => string;
  /** The first option lets it go on. */
  readonly options: readonly { readonly label: string; readonly description: string }[];
}

const GO_ON: Readonly<Record<Locale, GoOnTexts>> = {
  ja: {
    header: '会話の上限',
    question: ({ one, other, count }) =>
      `${isolated(one)}と${isolated(other)}のやり取りが上限（${count}件）に達しました。続けてもよいですか？`,
    options: [
      { label: '続けてよい', description: '同じ件数まで、エージェント同士で続けられます。' },
      { label: 'ここまで', description: 'この流れでは、これ以上やり取りしません。' },
    ],
  },
  en: {
    header: 'Chain limit',
    question: ({ one, other, count }) =>
      `${isolated(one)} and ${isolated(other)} have reached the limit of ${count} messages between agents. May they go on?`,
    options: [
      { label: 'Go on', description: 'They may exchange as many messages again.' },
      { label: 'Stop here', description: 'They say no more to one another in this chain.' },
    ],
  },
};

const CODE = 'chain_limit';

/** What a person is asked when agents have said as much to one another as is allowed. */
export function goOnQuestion(
  locale: Locale,
  names: { one: string; other: string; count: number },
): QuestionItem {
  const { header, question, options } = GO_ON[locale];
  const reason = { code: CODE, params: names };
  return { header, question: question(names), options: [...options], multiSelect: false, reason };
}

/** A question of the system in the language of its reader; that of an agent as it is. */
export function questionFor(locale: Locale, item: QuestionItem): QuestionItem {
  return (item.reason && questionOf(locale, item.reason)) ?? item;
}

/** Undefined: it is no question that this release asks. */
export function questionOf(locale: Locale, { code, params }: Reason): QuestionItem | undefined {
  if (code !== CODE) return undefined;
  const { one = '', other = '', count = 0 } = params;
  return goOnQuestion(locale, { one: String(one), other: String(other), count: Number(count) });
}
