import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { projectQuery } from '../../lib/queries/queries.ts';
import { useNameOf } from '../../lib/queries/use-name-of.ts';

/** What the tab of the browser shows: the project, the agent, or the page. */
export function usePageName(): string {
  const { t } = useTranslation();
  const { projectId, agentId } = useParams({ strict: false });
  const { pathname } = useLocation();
  const nameOf = useNameOf();
  const { data: project } = useQuery({
    ...projectQuery(projectId ?? ''),
    enabled: projectId !== undefined,
  });
  if (projectId !== undefined) return project?.name ?? '';
  if (agentId !== undefined) return nameOf(agentId);
  if (pathname.startsWith('/inbox')) return t('app.inbox');
  if (pathname.startsWith('/settings')) return t('app.settings');
  return t('projects.title');
}
