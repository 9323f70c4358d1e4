import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { usePageName } from '../../app/shell/use-page-name.ts';
import { buttonClass } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { useInboxCount } from './use-inbox-count.ts';
import { useTabBadge } from './use-tab-badge.ts';

/** Also what keeps the title and the icon of the tab: on a phone, where the bar at the foot leads there, it is hidden. */
export function InboxLink() {
  const { t } = useTranslation();
  const count = useInboxCount();
  useTabBadge(count, usePageName());
  return (
    <Link
      to="/inbox"
      className={clsx(
        buttonClass({ variant: 'quiet', size: 'sm' }),
        'aria-[current=page]:bg-hover aria-[current=page]:text-ink max-sm:hidden',
      )}
    >
      <Icon name="inbox" />
      {/* Not aria-label: it would have to repeat the visible text, the number of the badge included. */}
      <span className="sr-only">{count > 0 ? t('app.inboxWaiting', { count }) : t('app.inbox')}</span>
      <span aria-hidden="true">{t('app.inbox')}</span>
      {count > 0 ? (
        <span
          aria-hidden="true"
          data-testid="inbox-badge"
          className="num inline-flex h-4 min-w-5 items-center justify-center rounded-full bg-accent px-1 text-11 font-semibold text-on-accent"
        >
          {count}
        </span>
      ) : (
        // Its place, so that what stands beside it does not move.
        <span className="w-5" />
      )}
    </Link>
  );
}
