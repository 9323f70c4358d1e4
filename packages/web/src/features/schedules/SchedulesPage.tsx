import type { Schedule } from '@aizuchi/shared/contract/schedule';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Panel, ReadingPage } from '../../components/Panel.tsx';
import { membersQuery } from '../../lib/queries/queries.ts';
import { useWriteAccess, type WriteAccess } from '../../lib/queries/use-write-access.ts';
import { ScheduleDialog } from './ScheduleDialog.tsx';
import { ScheduleRow } from './ScheduleRow.tsx';
import { schedulesQuery, useDeleteSchedule } from './use-schedules.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

/** The schedules of a project: prompts that its agents get at given times. */
export function SchedulesPage() {
  const { t } = useTranslation();
  const { projectId } = route.useParams();
  const { data: members } = useQuery(membersQuery(projectId));
  const { data: schedules, error, refetch } = useQuery(schedulesQuery(projectId));
  const [edited, setEdited] = useState<Schedule | 'new'>();
  const [deleted, setDeleted] = useState<Schedule>();
  const agents = members?.filter(({ type }) => type === 'ai') ?? [];
  const { canWrite: canChange, isReadOnly } = useWriteAccess(projectId);
  const canAdd = canChange && agents.length > 0;
  const addButton = (
    <Button variant="primary" icon="plus" data-testid="schedule-new" onClick={() => setEdited('new')}>
      {t('schedules.add')}
    </Button>
  );
  const isEmpty = schedules?.length === 0 && members !== undefined;
  return (
    <ReadingPage title={t('schedules.title')} aside={canAdd && !isEmpty && addButton}>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {isEmpty && (
        <EmptyState icon="calendar" title={t('schedules.emptyTitle')} action={canAdd ? addButton : undefined}>
          {t(emptyText(isReadOnly, agents.length > 0))}
        </EmptyState>
      )}
      {schedules && schedules.length > 0 && (
        <div className="flex flex-col gap-3">
          <p className="text-13 text-pretty text-ink-2">{t('schedules.intro')}</p>
          <Panel>
            {schedules.map((schedule) => (
              <ScheduleRow
                key={schedule.id}
                schedule={schedule}
                agent={agents.find(({ id }) => id === schedule.agentId) ?? { name: schedule.agentId }}
                canChange={canChange}
                onEdit={() => setEdited(schedule)}
                onDelete={() => setDeleted(schedule)}
              />
            ))}
          </Panel>
        </div>
      )}
      {edited && (
        <ScheduleDialog
          projectId={projectId}
          agents={agents}
          schedule={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted && <DeleteScheduleDialog schedule={deleted} onClose={() => setDeleted(undefined)} />}
    </ReadingPage>
  );
}

function emptyText(isReadOnly: WriteAccess['isReadOnly'], hasAgents: boolean) {
  if (isReadOnly === 'archived') return 'projects.statusNote.archived';
  if (isReadOnly === 'viewer') return 'schedules.emptyTextViewer';
  return hasAgents ? 'schedules.emptyText' : 'schedules.emptyTextNoAgents';
}

interface DeleteScheduleDialogProps {
  readonly schedule: Schedule;
  readonly onClose: () => void;
}

function DeleteScheduleDialog({ schedule, onClose }: DeleteScheduleDialogProps) {
  const { t } = useTranslation();
  const remove = useDeleteSchedule(schedule.projectId);
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('schedules.deleteTitle')}
      confirmLabel={t('schedules.delete')}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(schedule.id, { onSuccess: onClose })}
    >
      <p className="mb-2 font-medium text-ink wrap-anywhere">{schedule.prompt.split('\n', 1)[0]}</p>
      <p>{t('schedules.deleteText')}</p>
      {remove.error && <ErrorNote error={remove.error} className="mt-3" />}
    </ConfirmDialog>
  );
}
