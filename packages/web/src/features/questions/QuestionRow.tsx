import { useTranslation } from 'react-i18next';
import { toLocale } from '../../lib/i18n.ts';
import { QuestionCard, type QuestionCardProps } from './QuestionCard.tsx';
import { QuestionLine } from './QuestionLine.tsx';
import { cardFor } from './reader-card.ts';

/** A card while it waits, one line when it is over; one of the system is in the reader's language. */
export function QuestionRow({ card: given, ...rest }: QuestionCardProps) {
  const { i18n } = useTranslation();
  const card = cardFor(toLocale(i18n.language), given);
  return card.status === 'pending' ? <QuestionCard card={card} {...rest} /> : <QuestionLine card={card} />;
}
