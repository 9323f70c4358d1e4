import type { TaskAttempt } from '@aizuchi/shared/contract/task';
import { attemptSummary } from '@aizuchi/shared/platform/texts/reason-texts';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../../components/Icon.tsx';
import { toLocale } from '../../../../lib/i18n.ts';
import { useNameOf } from '../../../../lib/queries/use-name-of.ts';
import { ATTEMPT_LOOKS } from '../work/attempt-looks.ts';
import { EventLine } from './EventLine.tsx';

interface AttemptLineProps {
  readonly kind: 'begun' | 'ended';
  readonly attempt: TaskAttempt;
}

/** The beginning or the end of an attempt. */
export function AttemptLine({
  kind,
  attempt: { n, agentId, startedAt, endedAt, outcome, summary, reason },
}: AttemptLineProps) {
  const { t, i18n } = useTranslation();
  const name = useNameOf()(agentId);
  if (kind === 'begun' || endedAt === undefined)
    return (
      <EventLine icon={<Icon name="run" size={14} className="text-accent" />} at={startedAt}>
        {t('task.attemptBegun', { n, name })}
      </EventLine>
    );
  const look = ATTEMPT_LOOKS[outcome ?? 'stopped'];
  const said = summary && attemptSummary(toLocale(i18n.language), summary, reason);
  return (
    <EventLine icon={<Icon name={look.icon} size={14} className={look.tone} />} at={endedAt}>
      {t('task.attemptEnded', { n, name, outcome: t(`task.outcome.${outcome ?? 'stopped'}`) })}
      {said && <span className="mt-0.5 line-clamp-3 whitespace-pre-wrap text-ink">{said}</span>}
    </EventLine>
  );
}
