import type { ChangesSummary } from '@aizuchi/shared/contract/changes';
import type { Run } from '@aizuchi/shared/contract/run';
import { isUndecided } from '@aizuchi/shared/core/worktrees/rules/worktree-machine';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';

interface ChangesLinkProps {
  readonly run: Pick<Run, 'id' | 'projectId'>;
  readonly changes: ChangesSummary;
}

/** From a run to what it changed; nothing for a run that left nothing. */
export function ChangesLink({ run, changes }: ChangesLinkProps) {
  const { t } = useTranslation();
  if (!isUndecided(changes.state) && changes.fileCount === 0) return null;
  return (
    <Link
      to="/projects/$projectId/runs/$runId/changes"
      params={{ projectId: run.projectId, runId: run.id }}
      search={({ agent }) => (agent === undefined ? {} : { agent })}
      data-testid={`run-changes-${run.id}`}
      className={`relative z-10 ${buttonClass({ size: 'sm' })}`}
    >
      <Icon name={changes.state === 'conflict' ? 'warning' : 'file'} size={12} />
      {changes.fileCount > 0 ? t('changes.fileCount', { count: changes.fileCount }) : t('changes.title')}
    </Link>
  );
}
