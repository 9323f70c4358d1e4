import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { dayOf } from '../../../lib/time.ts';

/** The line before the first message of a day. */
export function DayDivider({ at }: { readonly at: string }) {
  return (
    <Divider>
      <DayText at={at} />
    </Divider>
  );
}

/** The line before the first unread message. */
export function UnreadDivider() {
  const { t } = useTranslation();
  return <Divider tone="accent">{t('chat.unread')}</Divider>;
}

/** Above the cards and conversations that are shown: there are earlier ones, which a person can ask for. */
export function CutDivider({ onShowMore }: { readonly onShowMore: (() => void) | undefined }) {
  const { t } = useTranslation();
  return (
    <Divider>
      <Button size="sm" data-testid="chat-show-earlier" onClick={onShowMore}>
        {t('chat.showEarlier')}
      </Button>
    </Divider>
  );
}

function Divider({ tone, children }: { readonly tone?: 'accent'; readonly children: ReactNode }) {
  return (
    <div
      className={clsx(
        'flex items-center gap-2 text-11 before:h-px before:flex-1 after:h-px after:flex-1',
        tone === 'accent'
          ? 'text-accent-ink before:bg-accent-line after:bg-accent-line'
          : 'text-ink-3 before:bg-line after:bg-line',
      )}
    >
      {children}
    </div>
  );
}

function DayText({ at }: { readonly at: string }) {
  const { t, i18n } = useTranslation();
  const day = new Date(at);
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (day.toDateString() === today.toDateString()) return t('chat.today');
  if (day.toDateString() === yesterday.toDateString()) return t('chat.yesterday');
  return dayOf(day, today, i18n.language);
}
