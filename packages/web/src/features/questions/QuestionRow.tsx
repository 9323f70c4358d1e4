import type { Question } from '@aizuchi/shared/contract/question';
import { QuestionCard } from './QuestionCard.tsx';
import { QuestionLine } from './QuestionLine.tsx';

interface QuestionRowProps {
  readonly card: Question;
  readonly agentName: string;
  readonly isReadOnly: boolean;
  readonly hearsPage?: boolean;
  readonly title?: string | undefined;
}

/** A card while it waits, one line when it is over. */
export function QuestionRow({ card, ...rest }: QuestionRowProps) {
  return card.status === 'pending' ? <QuestionCard card={card} {...rest} /> : <QuestionLine card={card} />;
}
