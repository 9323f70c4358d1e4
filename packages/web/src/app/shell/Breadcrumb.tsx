import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { projectQuery } from '../../lib/queries/queries.ts';

/** Shows the project after the product's name, or the name of a page that belongs to no project. */
export function Breadcrumb() {
  const { t } = useTranslation();
  const { projectId } = useParams({ strict: false });
  const { pathname } = useLocation();
  if (projectId !== undefined) return <ProjectCrumb projectId={projectId} />;
  if (pathname.startsWith('/inbox')) return <Crumb>{t('app.inbox')}</Crumb>;
  if (pathname.startsWith('/settings') || pathname.startsWith('/agents'))
    return <Crumb>{t('app.settings')}</Crumb>;
  return <Crumb>{t('projects.title')}</Crumb>;
}

function ProjectCrumb({ projectId }: { readonly projectId: string }) {
  const { data: project } = useQuery(projectQuery(projectId));
  return <Crumb>{project?.name ?? projectId}</Crumb>;
}

function Crumb({ children }: { readonly children: ReactNode }) {
  return (
    <span className="-ml-2 flex min-w-0 items-center gap-2 font-medium">
      <Icon name="chevronRight" size={12} className="text-ink-3" />
      <span className="min-w-0 truncate">{children}</span>
    </span>
  );
}
