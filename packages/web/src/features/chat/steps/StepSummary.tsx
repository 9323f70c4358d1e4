import type { Step } from '@aizuchi/shared/contract/step';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { DiffCount } from './lazy-diff.ts';
import { summaryOf } from './step-lines.ts';

interface StepSummaryTextProps {
  /** As far as they are known. */
  readonly steps: readonly Step[];
  readonly count: number;
}

/** "8 steps · failed once, then passed +14 −3" */
export function StepSummaryText({ steps, count }: StepSummaryTextProps) {
  const { t } = useTranslation();
  const { failed, hasRecovered } = summaryOf(steps);
  const diffs = steps.flatMap(({ diff }) => diff ?? []);
  return (
    <>
      <span className="min-w-0 truncate">
        {t('chat.steps.count', { count })}
        {hasRecovered &&
          ` · ${failed === 1 ? t('chat.steps.failedOnceThenPassed') : t('chat.steps.failedThenPassed', { count: failed })}`}
        {failed > 0 && !hasRecovered && (
          <>
            {' · '}
            <b className="font-medium text-red-ink">{t('chat.steps.failedCount', { count: failed })}</b>
          </>
        )}
      </span>
      {diffs.length > 0 && (
        <Suspense>
          <DiffCount diffs={diffs} />
        </Suspense>
      )}
    </>
  );
}
