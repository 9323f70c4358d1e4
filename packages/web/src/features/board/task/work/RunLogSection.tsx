import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../../components/ErrorNote.tsx';
import { useNameOf } from '../../../../lib/queries/use-name-of.ts';
import { RunLog } from '../../../runs/RunLog.tsx';
import { runQuery } from '../../../runs/use-runs.ts';

interface RunLogSectionProps {
  readonly projectId: string;
  readonly runId: string;
  readonly canStop: boolean;
  readonly onClose: () => void;
}

/** The log of one run of the task; live while it works. */
export function RunLogSection({ projectId, runId, canStop, onClose }: RunLogSectionProps) {
  const { t } = useTranslation();
  const { data: run, error } = useQuery(runQuery(projectId, runId));
  const name = useNameOf()(run?.agentId ?? '');
  return (
    <section
      aria-label={t('runs.logOf', { name: run ? name : runId })}
      data-testid="task-log"
      className="@container flex h-80 min-h-0 flex-col overflow-hidden rounded-md border border-line"
    >
      {error && <ErrorNote error={error} className="m-3" />}
      {run && <RunLog run={run} name={name} canStop={canStop} onClose={onClose} />}
    </section>
  );
}
