import type { InboxEntry } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';
import { useScrollToCurrent } from '../../lib/hooks/use-scroll-to-current.ts';
import { countOf, FILTER_ICONS } from './filters.ts';
import { FILTERS, type InboxSearch } from './inbox-search.ts';

interface InboxNavProps {
  readonly entries: readonly InboxEntry[];
  readonly search: InboxSearch;
  readonly projectName: (id: string) => string;
}

/** The filters by kind and by project: on the left, in a narrow or zoomed window a line above. */
export function InboxNav({ entries, search, projectName }: InboxNavProps) {
  const { t } = useTranslation();
  const { kind, project, list } = search;
  const nav = useScrollToCurrent<HTMLElement>(`${kind} ${project} ${list}`);
  const inProject = project === undefined ? {} : { project };
  const projects = [...new Set(entries.map(({ item }) => item.projectId))];
  // No agent asks for approvals yet: the filter appears with the first one.
  const filters = FILTERS.filter((filter) => filter !== 'approval' || countOf(entries, { kind: filter }) > 0);
  return (
    <nav
      ref={nav}
      aria-label={t('inbox.show')}
      className="flex flex-none gap-0.5 border-line max-md:gap-2 max-md:overflow-x-auto max-md:border-b max-md:px-4 max-md:py-2 md:w-[232px] md:flex-col md:overflow-y-auto md:border-r md:px-3 md:py-4"
    >
      <Heading>{t('inbox.waitingForYou')}</Heading>
      <NavItem
        icon="inbox"
        to={inProject}
        isCurrent={kind === undefined && list === undefined}
        count={countOf(entries, inProject)}
        isAlways
      >
        {t('inbox.all')}
      </NavItem>
      {filters.map((filter) => (
        <NavItem
          key={filter}
          icon={FILTER_ICONS[filter]}
          to={{ ...inProject, kind: filter }}
          isCurrent={kind === filter}
          count={countOf(entries, { ...inProject, kind: filter })}
        >
          {t(`inbox.filter.${filter}`)}
        </NavItem>
      ))}
      <Heading>{t('inbox.hidden')}</Heading>
      <NavItem icon="archive" to={{ list: 'put-away' }} isCurrent={list !== undefined} isAlways>
        {t('inbox.putAway')}
      </NavItem>
      {projects.length > 1 && (
        <>
          <Heading>{t('projects.title')}</Heading>
          {projects.map((id) => (
            <NavItem
              key={id}
              to={{ ...(kind && { kind }), ...(project !== id && { project: id }) }}
              isCurrent={project === id}
              count={countOf(entries, { ...(kind && { kind }), project: id })}
              isAlways
            >
              {projectName(id)}
            </NavItem>
          ))}
        </>
      )}
    </nav>
  );
}

function Heading({ children }: { readonly children: string }) {
  return <p className="px-2 pb-1 text-11 font-medium text-ink-3 not-first:pt-4 max-md:hidden">{children}</p>;
}

interface NavItemProps {
  readonly icon?: IconName;
  readonly to: InboxSearch;
  readonly isCurrent: boolean;
  readonly count?: number;
  /** In the line it is shown also while its count is 0. */
  readonly isAlways?: boolean;
  readonly children: ReactNode;
}

function NavItem({ icon, to, isCurrent, count, isAlways = false, children }: NavItemProps) {
  return (
    <Link
      to="/inbox"
      search={to}
      activeOptions={{ includeSearch: true, exact: true }}
      aria-current={isCurrent ? 'page' : undefined}
      data-empty={count === 0 && !isAlways && !isCurrent}
      className="flex min-h-7 flex-none items-center gap-2 rounded-md px-2 text-13 whitespace-nowrap text-ink-2 hover:bg-hover hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink max-md:gap-1.5 max-md:border max-md:border-line max-md:text-12 max-md:data-[empty=true]:hidden max-md:aria-[current=page]:border-accent-line max-md:aria-[current=page]:bg-accent-soft max-md:aria-[current=page]:text-accent-ink pointer-coarse:min-h-9"
    >
      {icon && <Icon name={icon} className="text-ink-3 max-md:hidden" />}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {count !== undefined && (
        <span className="num text-12 font-normal text-ink-3 max-md:text-current">{count}</span>
      )}
    </Link>
  );
}
