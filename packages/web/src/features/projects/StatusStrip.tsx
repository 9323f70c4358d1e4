import type { Project } from '@aizuchi/shared/contract/project';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { meQuery } from '../../lib/queries/queries.ts';

/** A project that is not at work says so on each of its pages, and where that is changed. */
export function StatusStrip({ project: { id, status } }: { readonly project: Project }) {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  if (status === 'active') return null;
  return (
    <p
      data-testid="project-status"
      className="flex flex-none flex-wrap items-center gap-x-2 gap-y-1 border-b border-amber-line bg-amber-soft px-4 py-2 text-12 text-amber-ink max-sm:mt-3 max-sm:border-t"
    >
      <Icon name={status === 'paused' ? 'pause' : 'archive'} size={14} className="flex-none" />
      <span className="min-w-0">{t(`projects.statusNote.${status}`)}</span>
      {me?.accessLevel === 'owner' && (
        <Link to="/projects/$projectId/settings" params={{ projectId: id }} className="font-medium underline">
          {t('projects.changeStatus')}
        </Link>
      )}
    </p>
  );
}
