import type { Question } from '@aizuchi/shared/contract/question';
import { useState } from 'react';

export interface WrittenReply {
  readonly card: Question;
  readonly text: string;
}

/**
 * Who writes while the agent asks answers: the text is held as the answer to `asked` for a moment (CardReply). Where its
 * card is over before the answer has arrived, the text becomes a message. What else the agent asks meanwhile changes nothing.
 */
export function useCardReply(
  asked: Question | undefined,
  cards: readonly Question[],
  sendMessage: (text: string) => void,
) {
  const [held, setHeld] = useState<WrittenReply>();
  return {
    held,
    isOver: cards.some(({ toolUseId, status }) => toolUseId === held?.card.toolUseId && status !== 'pending'),
    /** False: there is no card that it could answer. */
    take: (text: string) => {
      if (asked === undefined || held !== undefined) return false;
      setHeld({ card: asked, text });
      return true;
    },
    drop: () => setHeld(undefined),
    sendMessage,
  };
}
