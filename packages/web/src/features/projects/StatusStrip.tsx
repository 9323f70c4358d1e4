import type { Project } from '@aizuchi/shared/contract/project';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { meQuery } from '../../lib/queries/queries.ts';

/** On each page of a paused or archived project: its status, and where that is changed. */
export function StatusStrip({ project: { id, status } }: { readonly project: Project }) {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  if (status === 'active') return null;
  return (
    <p
      data-testid="project-status"
      className="flex flex-none items-start gap-2 border-b border-amber-line bg-amber-soft px-4 py-2 text-12 text-amber-ink max-sm:mt-3 max-sm:border-t"
    >
      <Icon name={status === 'paused' ? 'pause' : 'archive'} size={14} className="mt-0.5" />
      <span className="min-w-0 text-pretty">
        {t(`projects.statusNote.${status}`)}
        {me?.accessLevel === 'owner' && (
          <>
            {' '}
            <Link
              to="/projects/$projectId/settings"
              params={{ projectId: id }}
              className="font-medium whitespace-nowrap underline"
            >
              {t('projects.changeStatus')}
            </Link>
          </>
        )}
      </span>
    </p>
  );
}
