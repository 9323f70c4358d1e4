import type { Changes } from '@aizuchi/shared/contract/changes';
import { isUndecided, type WorktreeDecision } from '@aizuchi/shared/core/worktrees/rules/worktree-machine';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import type { useDecideChanges } from './use-changes.ts';

interface ChangesDecisionProps {
  readonly changes: Changes;
  readonly name: string;
  readonly canDecide: boolean;
  readonly decide: ReturnType<typeof useDecideChanges>;
}

/** Keep or discard, while nobody has decided. */
export function ChangesDecision({ changes, name, canDecide, decide }: ChangesDecisionProps) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<WorktreeDecision>();
  const into = changes.into ?? t('changes.noBranch');
  const underWay = changes.deciding ?? (decide.isPending ? decide.variables : undefined);
  const isOff = !canDecide || underWay !== undefined;
  const isKeep = asked === 'keep';
  if (!isUndecided(changes.state)) return null;
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
