import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';
import { useInboxCount } from '../../features/inbox/use-inbox-count.ts';
import { chatToOpen, unreadIn } from '../../features/presence/overview/overview.ts';
import { overviewQuery } from '../../features/presence/overview/overview-query.ts';
import { UnreadBadge } from '../../features/presence/overview/UnreadBadge.tsx';
import { useHasAttention } from '../../lib/hooks/use-has-attention.ts';
import { useLastProject } from './use-last-project.ts';

const PLACE =
  'relative flex min-w-0 flex-col items-center justify-center gap-1 text-11 text-ink-2 focus-visible:-outline-offset-2 aria-[current=page]:font-medium aria-[current=page]:text-accent-ink';

/** On a phone, under the page: home, the inbox, the chat that says most, the board, and the person's own settings. */
export function BottomBar() {
  const { t } = useTranslation();
  const { data: overview } = useQuery(overviewQuery());
  const { agent: openAgent, run: openRun } = useSearch({ strict: false });
  // An open chat and an open log cover the whole screen of a phone.
  const isCovered = openAgent !== undefined || openRun !== undefined;
  const hasAttention = useHasAttention();
  const waiting = useInboxCount();
  const projectId = useLastProject(overview?.projects);
  const agents = overview?.agents ?? [];
  const chat = chatToOpen(agents, projectId);
  // What the person looks at is being read.
  const isRead = (one: (typeof agents)[number]) =>
    hasAttention && one.projectId === projectId && one.agentId === openAgent;
  return (
    <nav
      aria-label={t('app.places')}
      inert={isCovered}
      data-testid="bottom-bar"
      className="grid h-full grid-cols-5"
    >
      <Link to="/projects" activeOptions={{ exact: true }} className={PLACE}>
        <Place icon="home">{t('app.start')}</Place>
      </Link>
      <Link to="/inbox" className={PLACE}>
        <Icon name="inbox" />
        {/* As in the top bar: one text for screen readers, which says the number too. */}
        <span className="sr-only">
          {waiting > 0 ? t('app.inboxWaiting', { count: waiting }) : t('app.inbox')}
        </span>
        <span aria-hidden="true">{t('app.inbox')}</span>
        {waiting > 0 && (
          <Badge>
            <span
              aria-hidden="true"
              className="num flex h-4 min-w-4 items-center justify-center rounded-full bg-accent px-1 text-[10px] font-semibold text-on-accent"
            >
              {waiting}
            </span>
          </Badge>
        )}
      </Link>
      {chat ? (
        <Link
          to="/projects/$projectId"
          params={{ projectId: chat.projectId }}
          search={{ agent: chat.agentId }}
          className={PLACE}
        >
          <Place icon="comment">{t('app.chat')}</Place>
          <Badge>
            <UnreadBadge count={unreadIn(agents.filter((one) => !isRead(one)))} />
          </Badge>
        </Link>
      ) : (
        <span className={PLACE}>
          <Place icon="comment">{t('app.chat')}</Place>
        </span>
      )}
      {projectId === undefined ? (
        <span className={PLACE}>
          <Place icon="board">{t('app.tabBoard')}</Place>
        </span>
      ) : (
        <Link
          to="/projects/$projectId"
          params={{ projectId }}
          activeOptions={{ exact: true, includeSearch: false }}
          className={PLACE}
        >
          <Place icon="board">{t('app.tabBoard')}</Place>
        </Link>
      )}
      <Link to="/settings" className={PLACE}>
        <Place icon="people">{t('app.own')}</Place>
      </Link>
    </nav>
  );
}

function Place({ icon, children }: { readonly icon: IconName; readonly children: string }) {
  return (
    <>
      <Icon name={icon} />
      <span className="max-w-full truncate">{children}</span>
    </>
  );
}

/** At the corner of the icon. */
function Badge({ children }: { readonly children: ReactNode }) {
  return (
    <span className="absolute top-1.5 left-[calc(50%+4px)] rounded-full outline-2 outline-surface empty:hidden">
      {children}
    </span>
  );
}
