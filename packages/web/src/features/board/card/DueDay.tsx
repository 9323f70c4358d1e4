import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { dayOf, useNow } from '../../../lib/time.ts';
import { dayHere } from '../filter/filter-tasks.ts';

/** The day until which a task is to be done; red when it is over, amber when it is today. */
export function DueDay({ day }: { readonly day: string }) {
  const { t, i18n } = useTranslation();
  const now = useNow(30_000);
  const today = dayHere(now);
  const text = dayOf(new Date(`${day}T00:00:00`), now, i18n.language);
  return (
    <time
      dateTime={day}
      title={t('board.due', { day: text })}
      className={clsx('whitespace-nowrap', day < today ? 'text-red-ink' : day === today && 'text-amber-ink')}
    >
      <span className="sr-only">{t('board.due', { day: '' })}</span>
      {text}
    </time>
  );
}
