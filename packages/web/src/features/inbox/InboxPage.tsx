import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { buttonClass } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Panel, ReadingPage } from '../../components/Panel.tsx';
import { agentsQuery } from '../../lib/queries/queries.ts';
import { type InboxItem, useInbox } from './use-inbox.ts';

export function InboxPage() {
  const { t } = useTranslation();
  const { items, error } = useInbox();
  return (
    <main id="content" className="h-full">
      <ReadingPage
        title={t('inbox.title')}
        aside={
          items.length > 0 && (
            <span className="text-13 text-ink-2">{t('inbox.waiting', { count: items.length })}</span>
          )
        }
      >
        {error && <ErrorNote error={error} />}
        {items.length === 0 && !error && (
          <EmptyState icon="inbox" title={t('inbox.emptyTitle')}>
            {t('inbox.emptyText')}
          </EmptyState>
        )}
        {items.length > 0 && (
          <Panel>
            {items.map((item) => (
              <InboxRow key={`${item.project.id} ${item.agentId}`} item={item} />
            ))}
          </Panel>
        )}
      </ReadingPage>
    </main>
  );
}

function InboxRow({ item: { project, agentId, unread } }: { readonly item: InboxItem }) {
  const { t } = useTranslation();
  const { data: agents = [] } = useQuery(agentsQuery());
  const name = agents.find((agent) => agent.id === agentId)?.name ?? agentId;
  return (
    <div className="flex min-h-14 items-center gap-3 px-4 py-2">
      <Avatar name={name} type="ai" size={28} />
      <div className="min-w-0 flex-1">
        <p className="truncate text-13 font-medium">{t('inbox.unread', { count: unread })}</p>
        <p className="truncate text-12 text-ink-2">
          {name} · {project.name}
        </p>
      </div>
      <Link
        to="/projects/$projectId"
        params={{ projectId: project.id }}
        search={{ agent: agentId }}
        className={buttonClass()}
      >
        {t('inbox.openChat')}
      </Link>
    </div>
  );
}
