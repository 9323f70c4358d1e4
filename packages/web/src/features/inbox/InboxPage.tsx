import type { InboxEntry } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { type ReactNode, Suspense, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { countOf } from './filters.ts';
import { InboxNav } from './InboxNav.tsx';
import { InboxRow } from './InboxRow.tsx';
import { PutAway } from './put-away/lazy-put-away.ts';
import { RowKeys } from './RowKeys.tsx';
import { itemKey } from './use-inbox.ts';
import { useInboxPage } from './use-inbox-page.ts';

/** Everything that waits for the person in all projects; each item can be handled in its row. */
export function InboxPage() {
  const page = useInboxPage();
  const { search, waiting, projectName, agentName } = page;
  return (
    <div className="flex h-full max-md:flex-col">
      <InboxNav entries={waiting} search={search} projectName={projectName} />
      <main id="content" className="min-h-0 min-w-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-[960px] flex-col gap-2 sm:px-6 sm:py-6">
          {search.list === 'put-away' ? (
            <Suspense>
              <PutAway projectName={projectName} agentName={agentName} />
            </Suspense>
          ) : (
            <Waiting page={page} />
          )}
        </div>
      </main>
    </div>
  );
}

function Waiting({ page }: { readonly page: ReturnType<typeof useInboxPage> }) {
  const { t } = useTranslation();
  const { search, isLoaded, error, waiting, rows, firstCard, projectName, agentName, list } = page;
  return (
    <>
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
          <div ref={list} className="flex flex-col sm:gap-4">
            {SECTIONS.map((section) => (
              <Section
                key={section}
                section={section}
                entries={rows.filter((entry) => entry.section === section)}
                renderEntry={(entry) => (
                  <InboxRow
                    key={itemKey(entry.item)}
                    entry={entry}
                    projectName={projectName(entry.item.projectId)}
                    agentName={agentName(entry.item.agentId)}
                    isFirst={entry === firstCard}
                  />
                )}
              />
            ))}
          </div>
          <p className="px-3 py-1 text-12 text-ink-3 max-sm:px-4 max-sm:py-3">{t('inbox.promise')}</p>
          <RowKeys actKey="E">{t('inbox.keys.dismiss')}</RowKeys>
        </>
      )}
    </>
  );
}

const SECTIONS = ['cards', 'incidents', 'others'] as const;

interface SectionProps {
  readonly section: InboxEntry['section'];
  readonly entries: readonly InboxEntry[];
  readonly renderEntry: (entry: InboxEntry) => ReactNode;
}

function Section({ section, entries, renderEntry }: SectionProps) {
  const { t } = useTranslation();
  const id = useId();
  if (entries.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="px-1 pb-1.5 text-13 font-semibold max-sm:px-4 max-sm:pt-3">
        {t(`inbox.section.${section}`)}{' '}
        <span className="text-12 font-normal text-ink-3">{t(`inbox.sectionOrder.${section}`)}</span>
      </h2>
      <div className="divide-y divide-line border-line bg-surface max-sm:border-y sm:rounded-md sm:border">
        {entries.map(renderEntry)}
      </div>
    </section>
  );
}
