import type { MemoryState } from '@aizuchi/shared/contract/memory';
import clsx from 'clsx';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../../components/Button.tsx';
import { Chip } from '../../../components/Chip.tsx';
import { Time } from '../../../components/Time.tsx';
import { dayOf, useNow } from '../../../lib/time.ts';
import type { MemoryPart } from '../use-memory.ts';
import { useMemoryRights } from '../use-memory-rights.ts';
import { DeleteStateDialog } from './DeleteStateDialog.tsx';
import { Revisions } from './Revisions.tsx';
import { StateEditor } from './StateEditor.tsx';
import { validityOf } from './state-validity.ts';

interface StateCardProps {
  readonly part: MemoryPart;
  readonly state: MemoryState;
  readonly projectName: (projectId: string) => string;
}

/** One thing that was learnt: what it says, how sure and until when, and its history. */
export function StateCard({ part, state, projectName }: StateCardProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<'edit' | 'history'>();
  const [isDeleting, setIsDeleting] = useState(false);
  const { mayChange } = useMemoryRights();
  const now = useNow(60_000);
  const validity = validityOf(state, now);
  const toggle = (one: 'edit' | 'history') => setOpen(open === one ? undefined : one);
  // The mood is computed: a correction would be overwritten with the next event.
  const canEdit = mayChange(state) && state.kind !== 'long_mood_state';
  return (
    <article
      data-testid={`memory-state-${state.id}`}
      data-validity={validity}
      className={clsx('rounded-md border bg-surface', open ? 'border-accent-line' : 'border-line')}
    >
      <div className="flex items-start gap-2 px-3 py-2">
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <p
            className={clsx(
              'text-13 wrap-anywhere whitespace-pre-wrap',
              validity === 'over' && 'text-ink-2 line-through',
            )}
          >
            <bdi>{state.bodyText}</bdi>
          </p>
          <Facts state={state} projectName={projectName} validity={validity} now={now} />
        </div>
        <div className="-mr-1.5 flex flex-none">
          <IconButton
            icon="clock"
            label={t('memoryPage.history')}
            aria-expanded={open === 'history'}
            data-testid="memory-state-history"
            onClick={() => toggle('history')}
          />
          {canEdit && (
            <IconButton
              icon="edit"
              label={t('memoryPage.edit')}
              aria-expanded={open === 'edit'}
              data-testid="memory-state-edit"
              onClick={() => toggle('edit')}
            />
          )}
          {mayChange(state) && (
            <IconButton
              icon="trash"
              label={t('memoryPage.forgetState')}
              data-testid="memory-state-delete"
              onClick={() => setIsDeleting(true)}
            />
          )}
        </div>
      </div>
      {open === 'edit' && <StateEditor part={part} state={state} onDone={() => setOpen(undefined)} />}
      {open === 'history' && (
        <div className="border-t border-line">
          <Revisions part={part} stateId={state.id} canRestore={canEdit} />
        </div>
      )}
      <DeleteStateDialog part={part} state={state} isOpen={isDeleting} onOpenChange={setIsDeleting} />
    </article>
  );
}

interface FactsProps extends Pick<StateCardProps, 'state' | 'projectName'> {
  readonly validity: ReturnType<typeof validityOf>;
  readonly now: Date;
}

function Facts({ state, projectName, validity, now }: FactsProps) {
  const { t, i18n } = useTranslation();
  const { projectId, confidence, evidence, validFrom, validTo, lastConfirmedAt } = state;
  const day = (at: string) => dayOf(new Date(at), now, i18n.language);
  return (
    <p className="num flex flex-wrap items-center gap-x-3 gap-y-1 text-12 text-ink-2">
      <span>
        {t('memoryPage.confirmed')} <Time at={lastConfirmedAt} />
      </span>
      <span>{t('memoryPage.confidence', { percent: Math.round(confidence * 100) })}</span>
      <span>{t('memoryPage.evidence', { count: evidence.length })}</span>
      {validity === 'later' && validFrom !== null && (
        <span>{t('memoryPage.validFrom', { day: day(validFrom) })}</span>
      )}
      {validTo !== null && (
        <span>
          {t(validity === 'over' ? 'memoryPage.wasValidTo' : 'memoryPage.validTo', { day: day(validTo) })}
        </span>
      )}
      <Chip>
        <bdi>{projectId === undefined ? t('memoryPage.general') : projectName(projectId)}</bdi>
      </Chip>
    </p>
  );
}
