import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { countOf } from './filters.ts';
import { InboxNav } from './InboxNav.tsx';
import { InboxRow } from './InboxRow.tsx';
import { itemKey } from './use-inbox.ts';
import { useInboxPage } from './use-inbox-page.ts';

/** Everything that waits for the person in all projects; each item can be handled in its row. */
export function InboxPage() {
  const { t } = useTranslation();
  const { search, isLoaded, error, waiting, rows, firstCard, projectName, agentName, list } = useInboxPage();
  return (
    <div className="flex h-full max-sm:flex-col">
      <InboxNav items={waiting} search={search} projectName={projectName} />
      <main id="content" className="min-h-0 min-w-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-[960px] flex-col gap-2 sm:px-6 sm:py-6">
          <div className="flex min-h-8 items-center gap-2 max-sm:sr-only">
            <h1 className="text-16 font-semibold">{t('inbox.title')}</h1>
            {waiting.length > 0 && (
              <span className="num text-12 text-ink-3">
                {t('inbox.waiting', { count: countOf(waiting, search) })}
              </span>
            )}
          </div>
          {error && <ErrorNote error={error} className="max-sm:m-4" />}
          {isLoaded && rows.length === 0 && (
            <div className="max-sm:p-4">
              <EmptyState icon="inbox" title={t('inbox.emptyTitle')}>
                {t(waiting.length === 0 ? 'inbox.emptyText' : 'inbox.emptyHere')}
              </EmptyState>
            </div>
          )}
          {rows.length > 0 && (
            <>
              <div
                ref={list}
                className="divide-y divide-line border-line bg-surface max-sm:border-b sm:rounded-md sm:border"
              >
                {rows.map((item) => (
                  <InboxRow
                    key={itemKey(item)}
                    item={item}
                    projectName={projectName(item.projectId)}
                    agentName={agentName(item.agentId)}
                    isFirst={item === firstCard}
                  />
                ))}
              </div>
              <p className="px-3 py-1 text-12 text-ink-3 max-sm:px-4 max-sm:py-3">{t('inbox.promise')}</p>
            </>
          )}
        </div>
      </main>
    </div>
  );
}
