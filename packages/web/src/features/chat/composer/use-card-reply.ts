import type { Question } from '@aizuchi/shared/contract/question';
import { useEffect, useEffectEvent, useState } from 'react';

export interface HeldReply {
  readonly card: Question;
  readonly text: string;
}

/**
 * Who writes while the agent asks answers: the text is held as the answer to `card` for a moment (CardReply). Where the
 * card is over before it was sent, the text becomes a message.
 */
export function useCardReply(card: Question | undefined, sendMessage: (text: string) => void) {
  const [held, setHeld] = useState<HeldReply>();
  const isOver = held !== undefined && held.card.toolUseId !== card?.toolUseId;
  const toMessage = useEffectEvent(() => {
    if (held) sendMessage(held.text);
    setHeld(undefined);
  });
  useEffect(() => {
    if (isOver) toMessage();
  }, [isOver]);
  return {
    held: isOver ? undefined : held,
    /** False: there is no card that it could answer. */
    take: (text: string) => {
      if (card === undefined || held !== undefined) return false;
      setHeld({ card, text });
      return true;
    },
    drop: () => setHeld(undefined),
    sendAsMessage: () => {
      if (held) sendMessage(held.text);
      setHeld(undefined);
    },
  };
}
