import type { Changes } from '@aizuchi/shared/contract/changes';
import type { Run } from '@aizuchi/shared/contract/run';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Time } from '../../components/Time.tsx';
import { ChangeCount } from './ChangeCount.tsx';
import { ChangesDecision } from './ChangesDecision.tsx';
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
      {changes && <ChangesDecision changes={changes} name={name} canDecide={canDecide} decide={decide} />}
    </header>
  );
}
