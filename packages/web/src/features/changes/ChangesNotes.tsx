import type { Changes, ChangesConflict } from '@aizuchi/shared/contract/changes';
import { isUndecided } from '@aizuchi/shared/core/worktrees/rules/worktree-machine';
import { saidReason } from '@aizuchi/shared/platform/texts/reason-texts';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';
import { Revealed } from '../../components/Revealed.tsx';
import { toLocale } from '../../lib/i18n.ts';
import { exactTime } from '../../lib/time.ts';

interface ChangesNotesProps {
  readonly changes: Changes;
  readonly name: string;
  readonly isLive: boolean;
  readonly runId: string;
}

/** What stands between the changes and a decision, or what was decided. */
export function ChangesNotes({ changes, name, isLive, runId }: ChangesNotesProps) {
  const { t, i18n } = useTranslation();
  const { state, conflict, fault, reason } = changes;
  return (
    <div role="status">
      {!isUndecided(state) && (
        <Note icon={state === 'lost' ? 'warning' : 'check'} tone={state === 'kept' ? 'green' : 'neutral'}>
          <Outcome changes={changes} state={state} />
        </Note>
      )}
      {isUndecided(state) && isLive && (
        <Note icon="run">
          <p className="min-w-0 flex-1 wrap-anywhere">{t('changes.live', { name })}</p>
          <Link
            to="/projects/$projectId/runs"
            from="/projects/$projectId/runs/$runId/changes"
            search={(search) => ({ ...search, run: runId })}
            className={buttonClass({ size: 'sm' })}
          >
            {t('changes.toRun')}
          </Link>
        </Note>
      )}
      {state === 'conflict' && conflict && <Conflict changes={changes} conflict={conflict} />}
      {isUndecided(state) && fault !== undefined && (
        <Note icon="warning" tone="red">
          <p className="wrap-anywhere">{saidReason(toLocale(i18n.language), fault, reason)}</p>
        </Note>
      )}
    </div>
  );
}

function Outcome({ changes, state }: { readonly changes: Changes; readonly state: Changes['state'] }) {
  const { t, i18n } = useTranslation();
  if (state === 'created' || state === 'conflict') return null;
  const what = t(`changes.done.${state}`);
  const { decidedByName, decidedAt } = changes;
  const text =
    decidedByName === undefined || decidedAt === undefined
      ? what
      : t('changes.doneBy', {
          what,
          name: decidedByName,
          time: exactTime(new Date(decidedAt), i18n.language),
        });
  return (
    <p data-testid="changes-outcome" className="min-w-0 wrap-anywhere">
      {text}
    </p>
  );
}

function Conflict({ changes, conflict }: { readonly changes: Changes; readonly conflict: ChangesConflict }) {
  const { t } = useTranslation();
  const none = t('changes.noBranch');
  const { reason, paths, pathCount } = conflict;
  const more = pathCount - paths.length;
  const { branch, into } = changes;
  return (
    <Note icon="warning" tone="amber">
      <div data-testid="changes-conflict" className="min-w-0 flex-1">
        <p className="font-semibold">{t(`changes.conflict.${reason}`)}</p>
        <p className="text-pretty wrap-anywhere">
          {t(`changes.remedy.${reason}`, { branch, into: into ?? none, now: conflict.branch ?? none })}
        </p>
        {paths.length > 0 && (
          <ul className="mt-1 font-mono text-12 wrap-anywhere">
            {paths.map((path) => (
              <li key={path}>
                <Revealed text={path} />
              </li>
            ))}
          </ul>
        )}
        {more > 0 && <p className="text-12">{t('changes.morePaths', { count: more })}</p>}
      </div>
    </Note>
  );
}

const TONES = {
  neutral: 'border-line bg-canvas text-ink-2',
  green: 'border-green-line bg-green-soft text-green-ink',
  amber: 'border-amber-line bg-amber-soft text-amber-ink',
  red: 'border-red-line bg-red-soft text-red-ink',
} as const;

function Note({
  icon,
  tone = 'neutral',
  children,
}: {
  readonly icon: IconName;
  readonly tone?: keyof typeof TONES;
  readonly children: ReactNode;
}) {
  return (
    <div className={clsx('flex items-start gap-2 border-b px-3 py-2 text-13 @3xl:px-4', TONES[tone])}>
      <Icon name={icon} size={14} className="mt-[3px] flex-none" />
      {children}
    </div>
  );
}
