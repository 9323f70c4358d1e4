import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Schedule } from '@aizuchi/shared/contract/schedule';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../components/Dialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { forgetError } from '../../lib/form.ts';
import { ScheduleFields } from './ScheduleFields.tsx';
import { bodyOf, draftOf, type ScheduleDraft } from './schedule-draft.ts';
import { useSaveSchedule } from './use-schedules.ts';

interface ScheduleDialogProps {
  readonly projectId: string;
  readonly agents: readonly Agent[];
  /** The schedule to change; without it a new one is created. */
  readonly schedule?: Schedule | undefined;
  readonly onClose: () => void;
}

export function ScheduleDialog({ projectId, agents, schedule, onClose }: ScheduleDialogProps) {
  const { t } = useTranslation();
  const save = useSaveSchedule(projectId, schedule?.id);
  const [draft, setDraft] = useState<ScheduleDraft>(() => draftOf(schedule, agents[0]?.id ?? ''));
  const [isSubmitted, setIsSubmitted] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsSubmitted(true);
    const body = bodyOf(draft, new Date());
    if (body && !save.isPending) save.mutate(body, { onSuccess: onClose });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t(schedule ? 'schedules.editTitle' : 'schedules.newTitle')}
      testId="schedule-dialog"
    >
      {/* The fields say what is wrong in the reader's language. */}
      <form onSubmit={submit} onChange={forgetError(save)} noValidate>
        <DialogBody>
          <ScheduleFields
            draft={draft}
            agents={agents}
            isSubmitted={isSubmitted}
            onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
          />
          {save.error && <ErrorNote error={save.error} />}
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={save.isPending} data-testid="schedule-save">
            {t(schedule ? 'common.save' : 'common.create')}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
