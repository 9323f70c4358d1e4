import type { Answers, Question } from '@aizuchi/shared/contract/question';
import { isolated } from '@aizuchi/shared/platform/texts/isolated';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';
import { WhoAndWhen } from '../../components/WhoAndWhen.tsx';
import { meQuery } from '../../lib/queries/queries.ts';
import { timeSpan } from '../../lib/time.ts';
import { chosenTexts } from './answer-text.ts';
import { toCancelReason } from './cancel-reason.ts';
import { draftStore } from './draft-store.ts';

type Tone = 'answered' | 'answered_by_other' | 'timeout' | 'cancelled';

const ICONS: Readonly<Record<Tone, IconName>> = {
  answered: 'check',
  answered_by_other: 'people',
  timeout: 'clock',
  cancelled: 'close',
};

/** A card that is over, in one line; unfolded it shows the questions and their options. */
export function QuestionLine({ card }: { readonly card: Question }) {
  const { data: me } = useQuery(meQuery());
  const isMine = card.answeredBy === me?.id;
  const tone = toneOf(card, isMine);
  const isAnswered = tone === 'answered';
  return (
    <details
      data-testid="question-card"
      data-status={card.status}
      data-question={card.toolUseId}
      className={clsx(
        'group/card rounded-md border text-12',
        isAnswered ? 'border-line bg-surface text-ink-2' : 'border-dashed border-line-strong text-ink-2',
      )}
    >
      <summary className="flex min-h-[30px] cursor-pointer list-none items-center gap-2 rounded-md px-3 hover:bg-hover pointer-coarse:min-h-9 [&::-webkit-details-marker]:hidden">
        <Icon name={ICONS[tone]} size={14} className={isAnswered ? 'text-ask-ink' : 'text-ink-3'} />
        <span role={tone === 'answered_by_other' ? 'status' : undefined} className="min-w-0 flex-1 truncate">
          <Summary card={card} tone={tone} />
        </span>
        <Facts card={card} tone={tone} isMine={isMine} />
      </summary>
      <div className="flex flex-col gap-3 border-t border-line px-3 py-2.5">
        {card.questions.map((item, index) => (
          <Asked key={item.question} item={item} answer={card.answers?.[String(index)]} />
        ))}
        {card.status !== 'answered' && <NeverYes />}
      </div>
    </details>
  );
}

/** Another person's answer stands out only where this tab had begun to answer, too. */
function toneOf({ status, toolUseId }: Question, isMine: boolean): Tone {
  if (status === 'timeout' || status === 'cancelled') return status;
  return status === 'answered' && !isMine && hasDraft(toolUseId) ? 'answered_by_other' : 'answered';
}

function NeverYes() {
  const { t } = useTranslation();
  return <p>{t('questions.neverYes')}</p>;
}

interface LineProps {
  readonly card: Question;
  readonly tone: Tone;
}

/** Who answered, or how long the agent waited; and when. */
function Facts({ card, tone, isMine }: LineProps & { readonly isMine: boolean }) {
  const { t, i18n } = useTranslation();
  const answerer = isMine ? t('chat.you') : isolated(answererOf(card));
  const waited = tone === 'timeout' ? timeSpan(waitedMs(card), i18n.language) : undefined;
  return <WhoAndWhen who={tone === 'answered' ? answerer : waited} at={card.resolvedAt ?? card.createdAt} />;
}

function Summary({ card, tone }: LineProps) {
  const { t } = useTranslation();
  const [first] = card.questions;
  const question = card.questions.length === 1 ? first?.question : first?.header;
  switch (tone) {
    case 'timeout':
      return (
        <>
          <Strong>{t('questions.timeout')}</Strong>: <bdi>{question}</bdi>
        </>
      );
    case 'cancelled':
      return (
        <>
          <Strong>{t('questions.cancelled')}</Strong>:{' '}
          {t(`questions.cancelReason.${toCancelReason(card.cancelReason)}`)}
        </>
      );
    case 'answered_by_other':
      return (
        <>
          <Strong>{answererOf(card)}</Strong>
          {t('questions.answeredFirst')} <Chosen card={card} />
        </>
      );
    case 'answered':
      return (
        <>
          <Chosen card={card} />
          {card.questions.length === 1 && (
            <>
              {t('questions.chose')} <bdi>{question}</bdi>
            </>
          )}
        </>
      );
  }
}

function answererOf({ answeredByName, answeredBy }: Question): string {
  return answeredByName ?? answeredBy ?? '';
}

function Strong({ children }: { readonly children: ReactNode }) {
  return <b className="font-medium text-ink">{children}</b>;
}

/** The chosen answers of all questions. */
function Chosen({ card: { questions, answers } }: { readonly card: Question }) {
  const { i18n } = useTranslation();
  return questions.map((item, index) => (
    <Fragment key={item.question}>
      {index > 0 && ' · '}
      {questions.length > 1 && `${item.header}: `}
      <Strong>{joined(chosenTexts(item, answers?.[String(index)]), i18n.language)}</Strong>
    </Fragment>
  ));
}

function Asked({
  item,
  answer,
}: {
  readonly item: Question['questions'][number];
  readonly answer: Answers[string] | undefined;
}) {
  const chosen = chosenTexts(item, answer);
  const offered = item.options.map(({ label }) => label);
  const texts = [...offered, ...chosen.filter((text) => !offered.includes(text))];
  return (
    <div className="flex flex-col gap-1">
      <p className="text-13 font-medium text-ink wrap-anywhere">{item.question}</p>
      <ul className="flex flex-col gap-1">
        {texts.map((text) => (
          <li key={text} className="flex items-start gap-1.5 wrap-anywhere">
            <span className="flex h-4 w-3.5 flex-none items-center">
              {chosen.includes(text) && <Icon name="check" size={14} className="text-ask-ink" />}
            </span>
            <span className={clsx('min-w-0', chosen.includes(text) && 'font-medium text-ink')}>{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function joined(texts: readonly string[], locale: string): string {
  return texts.join(locale.startsWith('ja') ? '、' : ', ');
}

/** This tab had begun to answer. */
function hasDraft(toolUseId: string): boolean {
  return draftStore(toolUseId).get().choices.length > 0;
}

function waitedMs({ createdAt, resolvedAt }: Question): number {
  return Date.parse(resolvedAt ?? createdAt) - Date.parse(createdAt);
}
