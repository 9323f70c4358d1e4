import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Schedule } from '@aizuchi/shared/contract/schedule';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { Button, IconButton } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/Menu.tsx';
import { Switch } from '../../components/Switch.tsx';
import { Time } from '../../components/Time.tsx';
import { cronWords } from './cron-words.ts';
import { useChangeSchedule, useRunSchedule } from './use-schedules.ts';
import { ZonedTime } from './ZonedTime.tsx';

interface ScheduleRowProps {
  readonly schedule: Schedule;
  readonly agent: Pick<Agent, 'name'>;
  readonly canChange: boolean;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

export function ScheduleRow({ agent, canChange, ...row }: ScheduleRowProps) {
  const { schedule } = row;
  const { t, i18n } = useTranslation();
  const { id, projectId, agentId, cron, timeZone, prompt, enabled } = schedule;
  const change = useChangeSchedule(projectId, id);
  const run = useRunSchedule(projectId, id);
  const name = prompt.split('\n', 1)[0] ?? '';
  const error = run.error ?? change.error;
  return (
    <article
      data-testid={`schedule-${id}`}
      data-enabled={enabled}
      aria-label={name}
      className="flex flex-col gap-2 px-4 py-3"
    >
      <div className="flex gap-3 max-sm:flex-wrap">
        <Avatar name={agent.name} type="ai" size={28} className="mt-1" />
        <div className={clsx('min-w-0 flex-1 max-sm:basis-3/4', !enabled && 'text-ink-2')}>
          <h2 className="truncate text-13 font-medium" title={prompt}>
            {name}
          </h2>
          <p className="truncate text-12 text-ink-2">
            <Link
              to="/projects/$projectId/schedules"
              params={{ projectId }}
              search={{ agent: agentId }}
              className="text-ink underline decoration-line-strong underline-offset-2 hover:text-accent-ink"
            >
              {agent.name}
            </Link>{' '}
            · {cronWords(cron, i18n.language) ?? <code className="font-mono">{cron}</code>} · {timeZone}
          </p>
          <dl className="num mt-1 grid grid-cols-[auto_1fr] gap-x-2 text-12">
            <dt className="text-ink-3">{t('schedules.next')}</dt>
            <dd>
              <NextRun schedule={schedule} />
            </dd>
            <dt className="text-ink-3">{t('schedules.last')}</dt>
            <dd data-testid={`schedule-last-${id}`} data-outcome={schedule.lastRun?.outcome}>
              <LastRun schedule={schedule} />
            </dd>
          </dl>
        </div>
        {canChange && <Actions {...row} name={name} change={change} run={run} />}
      </div>
      {error && <ErrorNote error={error} />}
    </article>
  );
}

interface ActionsProps extends Pick<ScheduleRowProps, 'schedule' | 'onEdit' | 'onDelete'> {
  readonly name: string;
  readonly change: ReturnType<typeof useChangeSchedule>;
  readonly run: ReturnType<typeof useRunSchedule>;
}

function Actions({ schedule: { id, enabled }, name, change, run, onEdit, onDelete }: ActionsProps) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-none items-center gap-2 self-start max-sm:w-full max-sm:justify-end">
      <Button
        size="sm"
        icon="run"
        data-testid={`schedule-run-${id}`}
        isBusy={run.isPending}
        onClick={() => run.mutate()}
      >
        {t('schedules.runNow')}
      </Button>
      <Switch
        isOn={enabled}
        label={t('schedules.enabledNamed', { name })}
        onChange={(next) => change.mutate({ enabled: next })}
      />
      <Menu trigger={<IconButton icon="more" label={t('schedules.more', { name })} />}>
        <MenuItem icon="edit" onSelect={onEdit}>
          {t('schedules.edit')}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon="trash" isDanger onSelect={onDelete}>
          {t('schedules.delete')}
        </MenuItem>
      </Menu>
    </div>
  );
}

function NextRun({ schedule }: { readonly schedule: Schedule }) {
  const { enabled, nextRunAt, timeZone, offReason } = schedule;
  const { t } = useTranslation();
  if (nextRunAt !== undefined) return <ZonedTime at={new Date(nextRunAt)} timeZone={timeZone} />;
  if (offReason !== undefined)
    return <span className="text-amber-ink">{t(`schedules.offReason.${offReason}`)}</span>;
  return <span className="text-ink-3">{t(enabled ? 'schedules.nowhere' : 'schedules.off')}</span>;
}

function LastRun({ schedule: { lastRun } }: { readonly schedule: Schedule }) {
  const { t } = useTranslation();
  if (!lastRun) return <span className="text-ink-3">{t('schedules.never')}</span>;
  return (
    <>
      <Time at={lastRun.at} /> ·{' '}
      <span className={clsx(lastRun.outcome !== 'started' && 'text-amber-ink')}>
        {t(`schedules.outcome.${lastRun.outcome}`)}
      </span>
    </>
  );
}
