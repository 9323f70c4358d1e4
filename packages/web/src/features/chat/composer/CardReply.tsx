import type { Question } from '@aizuchi/shared/contract/question';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isCode } from '../../../lib/api/api-error.ts';
import { callApi } from '../../../lib/api/call-api.ts';
import { isAmongAnswers } from '../../questions/answer-text.ts';
import { type Draft, isComplete, toAnswers, withoutReply } from '../../questions/draft.ts';
import { draftStore, forgetDraft } from '../../questions/draft-store.ts';
import { useAnswer } from '../../questions/use-questions.ts';
import { HELD_MS, HeldReply } from './held-reply.ts';
import { ReplyLine } from './ReplyLine.tsx';
import { isWhole, type WrittenReply } from './use-card-reply.ts';

interface CardReplyProps {
  readonly held: WrittenReply;
  /** The card as it is now. */
  readonly card: Question | undefined;
  /** The answers to it that this tab has sent last. */
  readonly sent: Draft | undefined;
  readonly onMessage: (text: string) => void;
  /** The newest text is no answer any more. */
  readonly onTakenBack: () => void;
  readonly onDone: () => void;
}

/** What was written while the agent asked. The card has it as its draft, so that a reload loses nothing. */
export function CardReply(props: CardReplyProps) {
  return isWhole(props.held) ? <WholeReply {...props} /> : <PartReply {...props} />;
}

/** Other questions of the card have no answer yet: nothing is sent until they have. */
function PartReply(props: CardReplyProps) {
  const { t } = useTranslation();
  const { held, card, onDone, onTakenBack } = props;
  const isOver = isCardOver(card);
  const end = useEffectEvent(() => {
    becomeMessage(props, textsLeft(props));
    onDone();
  });
  useEffect(() => {
    if (isOver) end();
  }, [isOver]);
  const { question = 0, text = '' } = held.replies.at(-1) ?? {};
  const { header = '' } = held.card.questions[question] ?? {};
  return (
    <ReplyLine
      onUndo={() => {
        undo(props);
        onTakenBack();
      }}
    >
      {t('questions.replyPart', { header, text })}
    </ReplyLine>
  );
}

/** Sent as the answer after a moment, or at once when the chat is closed. */
function WholeReply(props: CardReplyProps) {
  const { t } = useTranslation();
  const { held, card, onDone, onTakenBack } = props;
  const { toolUseId, questions } = held.card;
  const { send } = useAnswer(held.card, async (error) => {
    const left = await notAnswered(held, error);
    reply.refused(() => becomeMessage(props, left));
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
        onTakenBack();
      }}
    >
      {t(questions.length === 1 ? 'questions.replyHeld' : 'questions.replyAll', {
        text: held.replies.at(-1)?.text,
      })}
    </ReplyLine>
  );
}

/** Somebody has answered the card, or nobody waits for an answer any more. */
function isCardOver(card: Question | undefined): boolean {
  return card !== undefined && card.status !== 'pending';
}

/** The question has what it had before, and the text goes to the agent as a message. */
function undo({ held, onMessage }: CardReplyProps): void {
  const newest = held.replies.at(-1);
  if (!newest) return;
  const store = draftStore(held.card.toolUseId);
  store.set(withoutReply(store.get(), newest.question, newest.before));
  onMessage(newest.text);
}

function becomeMessage({ held, onMessage }: CardReplyProps, texts: readonly string[]): void {
  forgetDraft(held.card.toolUseId);
  if (texts.length > 0) onMessage(texts.join('\n'));
}

/**
 * What is not among the answers of the card, without what the person had corrected in the card before sending them from
 * there.
 */
function textsLeft({ held, card, sent }: CardReplyProps): readonly string[] {
  const { questions } = held.card;
  const isMeant = (text: string) =>
    sent === undefined || isAmongAnswers({ questions, answers: toAnswers(sent, questions) }, text);
  return textsOf(held).filter((text) => isMeant(text) && !(card && isAmongAnswers(card, text)));
}

/** The texts that the card was not answered with; all of them where that cannot be learned. */
async function notAnswered({ card, ...held }: WrittenReply, error: Error): Promise<readonly string[]> {
  const texts = textsOf({ card, ...held });
  if (!isCode(error, 'question_already_answered')) return texts;
  const { projectId: pid, agentId, toolUseId } = card;
  const query = { agentId, limit: 50 };
  const { questions } = await callApi('listQuestions', { params: { pid }, query }).catch(() => ({
    questions: [],
  }));
  const answered = questions.find((one) => one.toolUseId === toolUseId);
  return answered ? texts.filter((text) => !isAmongAnswers(answered, text)) : texts;
}

const textsOf = ({ replies }: WrittenReply): readonly string[] => replies.map(({ text }) => text);
