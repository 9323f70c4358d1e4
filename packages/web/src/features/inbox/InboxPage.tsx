import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { agentsQuery, projectsQuery } from '../../lib/queries/queries.ts';
import { useShortcut } from '../../lib/use-shortcut.ts';
import { countOf, isShown } from './filters.ts';
import { InboxNav } from './InboxNav.tsx';
import { InboxRow } from './InboxRow.tsx';
import { itemKey, useInbox, useKeptQuestions } from './use-inbox.ts';

const route = getRouteApi('/signed-in/inbox');

/** Everything that waits for the person, over all projects; each row is answered where it stands. */
export function InboxPage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const { items, error } = useInbox();
  const { data: projects = [] } = useQuery(projectsQuery());
  const { data: agents = [] } = useQuery(agentsQuery());
  const list = useRef<HTMLDivElement>(null);
  const waiting = items ?? [];
  const rows = useKeptQuestions(waiting).filter((item) => isShown(item, search));
  const firstQuestion = rows.find(
    (item) => item.kind === 'question' && waiting.some((one) => itemKey(one) === itemKey(item)),
  );
  const projectName = (id: string) => projects.find((project) => project.id === id)?.name ?? id;
  const agentName = (id: string | undefined) => agents.find((agent) => agent.id === id)?.name ?? id;
  useShortcut('j', () => moveFocus(list.current, 1));
  useShortcut('k', () => moveFocus(list.current, -1));
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
          {items && rows.length === 0 && (
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
                    isFirst={item === firstQuestion}
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

/** J and K, from row to row. */
function moveFocus(list: HTMLElement | null, by: 1 | -1): void {
  const rows = [...(list?.children ?? [])].filter((row) => row instanceof HTMLElement);
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const next = current < 0 ? (by > 0 ? 0 : rows.length - 1) : current + by;
  rows[next]?.focus();
}
