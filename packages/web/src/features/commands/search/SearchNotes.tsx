import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import type { FoundInProject } from './use-project-search.ts';

/** What a person must know about the hits: that they are still searched for, that some are missing, or why there are none. */
export function SearchNotes({ found, isSearching, error, retry }: FoundInProject) {
  const { t } = useTranslation();
  if (error) return <ErrorNote error={error} title={t('search.failed')} onRetry={retry} className="m-2" />;
  if (isSearching)
    return (
      <div className="px-3 py-2">
        <PhaseLine>{t('search.searching')}</PhaseLine>
      </div>
    );
  const degraded = found?.degraded ?? [];
  if (degraded.includes('memory_unavailable')) return <Note>{t('search.memoryAway')}</Note>;
  if (degraded.includes('collector_late')) return <Note>{t('search.memoryLate')}</Note>;
  return null;
}

function Note({ children }: { readonly children: ReactNode }) {
  return (
    <p
      role="status"
      className="m-2 flex items-start gap-2 rounded-md border border-amber-line bg-amber-soft px-3 py-2 text-12 text-amber-ink"
    >
      <Icon name="warning" size={14} className="mt-px" />
      <span className="min-w-0">{children}</span>
    </p>
  );
}
