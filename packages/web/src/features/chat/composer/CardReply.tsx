import type { Question } from '@aizuchi/shared/contract/question';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';
import { isCode } from '../../../lib/api/api-error.ts';
import { draftOfReply } from '../../questions/draft.ts';
import { draftStore, forgetDraft } from '../../questions/draft-store.ts';
import { useAnswer } from '../../questions/use-questions.ts';
import { HeldReply } from './held-reply.ts';

/** So long an answer that was written in the composer can still become a message. */
const HELD_MS = 5_000;

interface CardReplyProps {
  /** With one question. */
  readonly card: Question;
  readonly text: string;
  /** Somebody has answered the card, or nobody waits for an answer any more. */
  readonly isOver: boolean;
  /** Of the person who writes. */
  readonly personId: string | undefined;
  readonly onMessage: (text: string) => void;
  readonly onDone: () => void;
}

/**
 * What was written while the agent asked: sent as the answer after a moment, or at once when the chat is closed. The
 * card has it as its draft, so that a reload loses nothing.
 */
export function CardReply({ card, text, isOver, personId, onMessage, onDone }: CardReplyProps) {
  const { t } = useTranslation();
  const { send } = useAnswer(card, (error) => {
    reply.refused(isCode(error, 'question_already_answered') && error.details?.answeredBy === personId);
  });
  const [reply] = useState(
    () =>
      new HeldReply({
        answer: () => send(draftOfReply(card.questions, text)),
        message: () => {
          forgetDraft(card.toolUseId);
          onMessage(text);
        },
      }),
  );
  const answer = useEffectEvent(() => {
    reply.answer();
    onDone();
  });
  const toMessage = useEffectEvent(() => {
    reply.toMessage();
    onDone();
  });
  useEffect(() => {
    if (isOver) toMessage();
  }, [isOver]);
  useEffect(() => {
    draftStore(card.toolUseId).set(draftOfReply(card.questions, text));
    const timer = setTimeout(() => answer(), HELD_MS);
    return () => {
      clearTimeout(timer);
      answer();
    };
  }, [card.toolUseId, card.questions, text]);
  return (
    <p
      role="status"
      data-testid="card-reply"
      className="mx-3 mb-1 flex flex-none flex-wrap items-center gap-x-2 gap-y-1 rounded-md border border-ask-line bg-ask-soft px-3 py-1.5 text-12 text-ink-2"
    >
      <Icon name="question" size={14} className="text-ask-ink" />
      <span className="min-w-32 flex-1 truncate">{t('questions.replyHeld', { text })}</span>
      <button
        type="button"
        data-testid="card-reply-undo"
        className="font-medium text-accent-ink hover:underline pointer-coarse:min-h-6"
        onClick={() => {
          reply.toMessage();
          onDone();
        }}
      >
        {t('questions.replyAsMessage')}
      </button>
    </p>
  );
}
