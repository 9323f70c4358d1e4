import type { Question } from '@aizuchi/shared/contract/question';
import { useMutationState, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Draft, isComplete, questionOfReply, withReply } from '../../questions/draft.ts';
import { draftStore } from '../../questions/draft-store.ts';
import { answerKey } from '../../questions/use-questions.ts';
import { forgetReplies, keepReplies, keptReplies, type Reply } from './kept-replies.ts';

export interface WrittenReply {
  readonly card: Question;
  /** What was written for this card, the newest last. */
  readonly replies: readonly Reply[];
  /** What is chosen in the card with them. */
  readonly after: Draft;
}

/** With it every question of the card has an answer. */
export const isWhole = ({ card, after }: WrittenReply): boolean => isComplete(after, card.questions);

/**
 * Who writes while the agent asks answers: the text is put into the card that is `asked`, and when all its questions have
 * an answer, they are held for a moment and sent (CardReply). Where the card is over before the answers have arrived, the
 * text becomes a message. What else the agent asks meanwhile changes nothing. What is not sent yet survives a reload.
 */
export function useCardReply(
  asked: Question | undefined,
  cards: readonly Question[],
  sendMessage: (text: string) => void,
) {
  const client = useQueryClient();
  const [held, setHeld] = useState<WrittenReply>();
  const keep = (next: WrittenReply | undefined) => {
    if (next && !isWhole(next)) keepReplies(next.card.toolUseId, next);
    else if (held) forgetReplies(held.card.toolUseId);
    setHeld(next);
  };
  useEffect(() => {
    if (held) return;
    for (const card of cards) {
      const kept = keptReplies(card.toolUseId);
      if (kept) return setHeld({ card, ...kept });
    }
  }, [held, cards]);
  const [sent] = useMutationState<Draft | undefined>({
    filters: { mutationKey: answerKey(held?.card.toolUseId ?? ''), exact: true },
    select: ({ state }) => state.variables as Draft | undefined,
  }).slice(-1);
  return {
    held,
    /** The card as it is now. */
    card: cards.find(({ toolUseId }) => toolUseId === held?.card.toolUseId),
    /** The answers to it that this tab has sent last. */
    sent,
    /** False: there is no card that it could answer. */
    take: (text: string) => {
      if (asked === undefined) return false;
      const { toolUseId } = asked;
      if (held !== undefined && (isWhole(held) || held.card.toolUseId !== toolUseId)) return false;
      // Answers are on their way: this would come too late for them.
      if (client.isMutating({ mutationKey: answerKey(toolUseId) }) > 0) return false;
      const store = draftStore(toolUseId);
      const before = store.get();
      const after = withReply(before, asked.questions, text);
      store.set(after);
      const question = questionOfReply(before, asked.questions);
      keep({ card: asked, replies: [...(held?.replies ?? []), { text, question, before }], after });
      return true;
    },
    /** The newest is no answer any more; the others still are. */
    takeBack: () => {
      if (!held) return;
      const replies = held.replies.slice(0, -1);
      const after = draftStore(held.card.toolUseId).get();
      keep(replies.length > 0 ? { ...held, replies, after } : undefined);
    },
    drop: () => keep(undefined),
    sendMessage,
  };
}
