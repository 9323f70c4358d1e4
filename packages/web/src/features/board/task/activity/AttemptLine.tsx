import type { TaskAttempt } from '@aizuchi/shared/contract/task';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../../components/Icon.tsx';
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
  attempt: { n, agentId, startedAt, endedAt, outcome, summary },
}: AttemptLineProps) {
  const { t } = useTranslation();
  const name = useNameOf()(agentId);
  if (kind === 'begun' || endedAt === undefined)
    return (
      <EventLine icon={<Icon name="run" size={14} className="text-accent" />} at={startedAt}>
        {t('task.attemptBegun', { n, name })}
      </EventLine>
    );
  const look = ATTEMPT_LOOKS[outcome ?? 'stopped'];
  return (
    <EventLine icon={<Icon name={look.icon} size={14} className={look.tone} />} at={endedAt}>
      {t('task.attemptEnded', { n, name, outcome: t(`task.outcome.${outcome ?? 'stopped'}`) })}
      {summary && <span className="mt-0.5 line-clamp-3 whitespace-pre-wrap text-ink">{summary}</span>}
    </EventLine>
  );
}
