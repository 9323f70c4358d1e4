import { QuestionCard, type QuestionCardProps } from './QuestionCard.tsx';
import { QuestionLine } from './QuestionLine.tsx';

/** A card while it waits, one line when it is over. */
export function QuestionRow({ card, ...rest }: QuestionCardProps) {
  return card.status === 'pending' ? <QuestionCard card={card} {...rest} /> : <QuestionLine card={card} />;
}
