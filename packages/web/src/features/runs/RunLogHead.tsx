import type { Run } from '@aizuchi/shared/contract/run';
import { type ComponentProps, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { Button, IconButton } from '../../components/Button.tsx';
import { Chip } from '../../components/Chip.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { saveAsFile } from '../../lib/save-as-file.ts';
import { ChangesLink } from '../changes/ChangesLink.tsx';
import { LogSearch } from './LogSearch.tsx';
import { LiveDuration } from './RunTable.tsx';
import { useStopRun } from './use-runs.ts';

interface RunLogHeadProps {
  readonly run: Run;
  readonly name: string;
  readonly canStop: boolean;
  readonly onClose: () => void;
  readonly search: ComponentProps<typeof LogSearch>;
  readonly isWrapped: boolean;
  readonly onWrap: () => void;
  /** The loaded text of the log, for the download. */
  readonly text: () => string;
}

export function RunLogHead({
  run,
  name,
  canStop,
  onClose,
  search,
  isWrapped,
  onWrap,
  text,
}: RunLogHeadProps) {
  const { t } = useTranslation();
  const [isAsking, setIsAsking] = useState(false);
  const isLive = run.state !== 'exited';
  return (
    <header className="flex flex-none flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2">
      <Avatar name={name} type="ai" size={20} />
      <h2 className="min-w-0 truncate text-13 font-semibold">{name}</h2>
      <span className="truncate font-mono text-12 text-ink-3">{run.id}</span>
      {isLive && (
        <Chip tone="accent">
          <span className="size-1.5 animate-pulse-slow rounded-full bg-current" />
          <span className="num">
            {t('runs.live')} <LiveDuration run={run} />
          </span>
        </Chip>
      )}
      {run.changes && <ChangesLink run={run} changes={run.changes} />}
      <span className="flex-1" />
      <div className="flex min-w-0 items-center gap-1 max-sm:w-full">
        <LogSearch {...search} />
        <IconButton icon="wrap" label={t('runs.wrap')} aria-pressed={isWrapped} onClick={onWrap} />
        <IconButton
          icon="download"
          label={t('runs.download')}
          onClick={() => saveAsFile(`${run.id}.log`, new Blob([text()], { type: 'text/plain' }))}
        />
        {isLive && canStop && (
          <Button
            size="sm"
            icon="stop"
            data-testid="run-stop"
            disabled={run.state === 'stopping'}
            onClick={() => setIsAsking(true)}
          >
            {t('runs.stop')}
          </Button>
        )}
        <IconButton icon="close" label={t('runs.closeLog')} onClick={onClose} />
      </div>
      {isAsking && isLive && <StopDialog run={run} name={name} onClose={() => setIsAsking(false)} />}
    </header>
  );
}

function StopDialog({ run, name, onClose }: Pick<RunLogHeadProps, 'run' | 'name' | 'onClose'>) {
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
      <p>{t('runs.stopText')}</p>
      {stop.error && <ErrorNote error={stop.error} className="mt-3" />}
    </ConfirmDialog>
  );
}
