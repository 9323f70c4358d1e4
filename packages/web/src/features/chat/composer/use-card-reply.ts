import type { Question } from '@aizuchi/shared/contract/question';
import { useState } from 'react';
import { type Draft, isComplete, questionOfReply, withReply } from '../../questions/draft.ts';
import { draftStore } from '../../questions/draft-store.ts';

export interface WrittenReply {
  readonly card: Question;
  /** What was written for this card, the newest last. */
  readonly texts: readonly string[];
  /** The question that the newest answers. */
  readonly question: number;
  /** What was chosen in the card before and after it. */
  readonly before: Draft;
  readonly after: Draft;
}

/** With it every question of the card has an answer. */
export const isWhole = ({ card, after }: WrittenReply): boolean => isComplete(after, card.questions);

/**
 * Who writes while the agent asks answers: the text is put into the card that is `asked`, and when all its questions have
 * an answer, they are held for a moment and sent (CardReply). Where the card is over before the answers have arrived, the
 * text becomes a message. What else the agent asks meanwhile changes nothing.
 */
export function useCardReply(
  asked: Question | undefined,
  cards: readonly Question[],
  sendMessage: (text: string) => void,
) {
  const [held, setHeld] = useState<WrittenReply>();
  return {
    held,
    /** The card as it is now. */
    card: cards.find(({ toolUseId }) => toolUseId === held?.card.toolUseId),
    /** False: there is no card that it could answer. */
    take: (text: string) => {
      if (asked === undefined) return false;
      if (held !== undefined && (isWhole(held) || held.card.toolUseId !== asked.toolUseId)) return false;
      const store = draftStore(asked.toolUseId);
      const before = store.get();
      const after = withReply(before, asked.questions, text);
      store.set(after);
      const question = questionOfReply(before, asked.questions);
      setHeld({ card: asked, texts: [...(held?.texts ?? []), text], question, before, after });
      return true;
    },
    drop: () => setHeld(undefined),
    sendMessage,
  };
}
