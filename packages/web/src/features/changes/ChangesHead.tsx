import type { Changes } from '@aizuchi/shared/contract/changes';
import type { Run } from '@aizuchi/shared/contract/run';
import { isUndecided, type WorktreeDecision } from '@aizuchi/shared/core/worktrees/rules/worktree-machine';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Time } from '../../components/Time.tsx';
import { ChangeCount } from './ChangeCount.tsx';
import type { useDecideChanges } from './use-changes.ts';

interface ChangesHeadProps {
  readonly name: string;
  readonly run: Run | undefined;
  readonly changes: Changes | undefined;
  readonly canDecide: boolean;
  readonly decide: ReturnType<typeof useDecideChanges>;
}

export function ChangesHead({ name, run, changes, canDecide, decide }: ChangesHeadProps) {
  const { t } = useTranslation();
  const into = changes?.into ?? t('changes.noBranch');
  return (
    <header className="flex flex-none flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-surface px-3 py-2.5 @3xl:px-4">
      <Link
        to="/projects/$projectId/runs"
        from="/projects/$projectId/runs/$runId/changes"
        aria-label={t('changes.back')}
        className={buttonClass({ variant: 'quiet', isSquare: true })}
        search={({ agent }) => (agent === undefined ? {} : { agent })}
      >
        <Icon name="chevronLeft" />
      </Link>
      <div className="min-w-0 flex-1 @max-2xl:basis-[calc(100%-56px)]">
        <h1 className="truncate text-14 font-semibold">{t('changes.titleOf', { name })}</h1>
        <p className="flex min-w-0 flex-wrap gap-x-2 text-12 text-ink-2">
          {changes && (
            <span className="font-mono wrap-anywhere">
              {t('changes.into', { branch: changes.branch, into })}
            </span>
          )}
          {run && <Time at={run.startedAt} />}
        </p>
      </div>
      {changes && changes.fileCount > 0 && (
        <p className="num flex flex-1 items-center gap-2 text-13 text-ink-2 @2xl:flex-none">
          {t('changes.fileCount', { count: changes.fileCount })}
          <ChangeCount {...changes} />
        </p>
      )}
      {changes && isUndecided(changes.state) && (
        <Decision changes={changes} name={name} into={into} canDecide={canDecide} decide={decide} />
      )}
    </header>
  );
}

interface DecisionProps {
  readonly changes: Changes;
  readonly name: string;
  readonly into: string;
  readonly canDecide: boolean;
  readonly decide: ReturnType<typeof useDecideChanges>;
}

function Decision({ changes, name, into, canDecide, decide }: DecisionProps) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<WorktreeDecision>();
  const underWay = changes.deciding ?? (decide.isPending ? decide.variables : undefined);
  const isOff = !canDecide || underWay !== undefined;
  const isKeep = asked === 'keep';
  return (
    <div className="flex items-center gap-2">
      <Button
        data-testid="changes-discard"
        disabled={isOff}
        isBusy={underWay === 'discard'}
        onClick={() => setAsked('discard')}
      >
        {t(underWay === 'discard' ? 'changes.discarding' : 'changes.discard')}
      </Button>
      <Button
        variant="primary"
        data-testid="changes-keep"
        disabled={isOff || changes.fileCount === 0}
        isBusy={underWay === 'keep'}
        onClick={() => setAsked('keep')}
      >
        {t(underWay === 'keep' ? 'changes.keeping' : 'changes.keep')}
      </Button>
      {asked !== undefined && (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setAsked(undefined)}
          title={t(isKeep ? 'changes.keepTitle' : 'changes.discardTitle')}
          confirmLabel={t(isKeep ? 'changes.keep' : 'changes.discardConfirm')}
          isHarmless={isKeep}
          onConfirm={() => {
            setAsked(undefined);
            decide.mutate(asked);
          }}
        >
          <p>{isKeep ? t('changes.keepText', { into }) : t('changes.discardText', { name })}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
