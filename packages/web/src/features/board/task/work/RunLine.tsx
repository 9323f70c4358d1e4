import type { Run } from '@aizuchi/shared/contract/run';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../../components/Button.tsx';
import { ConfirmDialog } from '../../../../components/ConfirmDialog.tsx';
import { ErrorNote } from '../../../../components/ErrorNote.tsx';
import { Spinner } from '../../../../components/Spinner.tsx';
import { useNameOf } from '../../../../lib/queries/use-name-of.ts';
import { LiveDuration } from '../../../runs/RunTable.tsx';
import { useStopRun } from '../../../runs/use-runs.ts';

interface RunLineProps {
  readonly run: Run;
  readonly canStop: boolean;
  readonly isLogOpen: boolean;
  readonly onLog: () => void;
}

/** The process that works on the task now. */
export function RunLine({ run, canStop, isLogOpen, onLog }: RunLineProps) {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  const name = nameOf(run.agentId);
  const { waitsForAgentId } = run;
  const [isAsking, setIsAsking] = useState(false);
  const isWorking = run.state === 'running' && waitsForAgentId === undefined;
  return (
    <div
      data-testid="task-run"
      className="num flex min-h-9 flex-wrap items-center gap-2 rounded-md border border-accent-line bg-accent-soft py-1 pr-1 pl-3 text-12 text-accent-ink"
    >
      {isWorking ? (
        <span className="size-1.5 flex-none animate-pulse-slow rounded-full bg-accent" />
      ) : (
        <Spinner className="size-2.5" />
      )}
      <span className="min-w-0 flex-1 truncate font-medium">
        {waitsForAgentId !== undefined
          ? t('chat.waits.folder_in_use', { name: nameOf(waitsForAgentId) })
          : t(`task.runState.${run.state === 'exited' ? 'stopping' : run.state}`, { name })}{' '}
        <LiveDuration run={run} />
      </span>
      <Button size="sm" variant="quiet" aria-expanded={isLogOpen} onClick={onLog}>
        {t('runs.log')}
      </Button>
      {canStop && (
        <Button size="sm" icon="stop" disabled={run.state === 'stopping'} onClick={() => setIsAsking(true)}>
          {t('task.stop')}
        </Button>
      )}
      {isAsking && <StopDialog run={run} name={name} onClose={() => setIsAsking(false)} />}
    </div>
  );
}

interface StopDialogProps {
  readonly run: Run;
  readonly name: string;
  readonly onClose: () => void;
}

function StopDialog({ run, name, onClose }: StopDialogProps) {
  const { t } = useTranslation();
  const stop = useStopRun(run);
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('runs.stopTitle', { name })}
      confirmLabel={t('runs.stopConfirm')}
      isBusy={stop.isPending}
      onConfirm={() => stop.mutate(undefined, { onSuccess: onClose })}
    >
      <p>{t('task.stopText')}</p>
      {stop.error && <ErrorNote error={stop.error} className="mt-3" />}
    </ConfirmDialog>
  );
}
