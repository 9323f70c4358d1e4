import type { Question } from '@aizuchi/shared/contract/question';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isCode } from '../../../lib/api/api-error.ts';
import { isAmongAnswers } from '../../questions/answer-text.ts';
import { isComplete, withoutReply } from '../../questions/draft.ts';
import { draftStore, forgetDraft } from '../../questions/draft-store.ts';
import { useAnswer } from '../../questions/use-questions.ts';
import { HeldReply } from './held-reply.ts';
import { ReplyLine } from './ReplyLine.tsx';
import { isWhole, type WrittenReply } from './use-card-reply.ts';

/** So long an answer that was written in the composer can still become a message. */
const HELD_MS = 5_000;

interface CardReplyProps {
  readonly held: WrittenReply;
  /** The card as it is now. */
  readonly card: Question | undefined;
  /** Of the person who writes. */
  readonly personId: string | undefined;
  readonly onMessage: (text: string) => void;
  readonly onDone: () => void;
}

/** What was written while the agent asked. The card has it as its draft, so that a reload loses nothing. */
export function CardReply(props: CardReplyProps) {
  return isWhole(props.held) ? <WholeReply {...props} /> : <PartReply {...props} />;
}

/** Other questions of the card have no answer yet: nothing is sent until they have. */
function PartReply(props: CardReplyProps) {
  const { t } = useTranslation();
  const { held, card, onDone } = props;
  const isOver = isCardOver(card);
  const end = useEffectEvent(() => {
    becomeMessage(props, textsLeft(props));
    onDone();
  });
  useEffect(() => {
    if (isOver) end();
  }, [isOver]);
  const { header = '' } = held.card.questions[held.question] ?? {};
  return (
    <ReplyLine
      onUndo={() => {
        undo(props);
        onDone();
      }}
    >
      {t('questions.replyPart', { header, text: held.texts.at(-1) })}
    </ReplyLine>
  );
}

/** Sent as the answer after a moment, or at once when the chat is closed. */
function WholeReply(props: CardReplyProps) {
  const { t } = useTranslation();
  const { held, card, personId, onDone } = props;
  const { toolUseId, questions } = held.card;
  const { send } = useAnswer(held.card, (error) => {
    reply.refused(isCode(error, 'question_already_answered') && error.details?.answeredBy === personId);
  });
  const answer = useEffectEvent(() => {
    reply.answer();
    onDone();
  });
  const [reply] = useState(
    () =>
      new HeldReply({
        answer: () => {
          // What the person has corrected in the card meanwhile counts.
          const now = draftStore(toolUseId).get();
          send(isComplete(now, questions) ? now : held.after);
        },
        undo: () => undo(props),
        message: () => becomeMessage(props, held.texts),
      }),
  );
  const end = useEffectEvent(() => {
    reply.cardIsOver(() => becomeMessage(props, textsLeft(props)));
    onDone();
  });
  const isOver = isCardOver(card);
  useEffect(() => {
    if (isOver) end();
  }, [isOver]);
  useEffect(() => {
    const timer = setTimeout(() => answer(), HELD_MS);
    return () => {
      clearTimeout(timer);
      answer();
    };
  }, []);
  return (
    <ReplyLine
      onUndo={() => {
        reply.undo();
        onDone();
      }}
    >
      {t(questions.length === 1 ? 'questions.replyHeld' : 'questions.replyAll', { text: held.texts.at(-1) })}
    </ReplyLine>
  );
}

/** Somebody has answered the card, or nobody waits for an answer any more. */
function isCardOver(card: Question | undefined): boolean {
  return card !== undefined && card.status !== 'pending';
}

/** The card has what it had before, and the text goes to the agent as a message. */
function undo({ held, onMessage }: CardReplyProps): void {
  const store = draftStore(held.card.toolUseId);
  store.set(withoutReply(store.get(), held.question, held.before));
  onMessage(held.texts.at(-1) ?? '');
}

function becomeMessage({ held, onMessage }: CardReplyProps, texts: readonly string[]): void {
  forgetDraft(held.card.toolUseId);
  if (texts.length > 0) onMessage(texts.join('\n'));
}

/** What is not among the answers of the card: the person may have sent them from the card itself. */
function textsLeft({ held, card }: CardReplyProps): readonly string[] {
  return held.texts.filter((text) => card === undefined || !isAmongAnswers(card, text));
}
