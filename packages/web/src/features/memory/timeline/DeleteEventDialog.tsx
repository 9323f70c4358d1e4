import type { MemoryEventDetail } from '@aizuchi/shared/contract/memory';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { type MemoryPart, statesQuery, useDeleteEvent } from '../use-memory.ts';
import { titleOf } from './event-days.ts';

interface DeleteEventDialogProps {
  readonly part: MemoryPart;
  readonly detail: MemoryEventDetail;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

const MAX_NAMED = 5;

/** Says what goes with an event before it is forgotten. */
export function DeleteEventDialog({ part, detail, isOpen, onOpenChange }: DeleteEventDialogProps) {
  const { t } = useTranslation();
  const { event, links, affect } = detail;
  const remove = useDeleteEvent(part, event.id);
  const { data } = useInfiniteQuery({ ...statesQuery(part, undefined), enabled: isOpen });
  const states = data?.pages.flatMap((page) => page.states) ?? [];
  const alone = states.filter(({ evidence }) => evidence.length === 1 && evidence[0] === event.id);
  return (
    <ConfirmDialog
      open={isOpen}
      onOpenChange={(open) => {
        onOpenChange(open);
        remove.reset();
      }}
      title={t('memoryPage.forgetEventTitle')}
      confirmLabel={t('memoryPage.forget')}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => onOpenChange(false) })}
    >
      <p className="line-clamp-3 font-medium wrap-anywhere text-ink">{titleOf(event)}</p>
      <p className="mt-2">{t('memoryPage.goesWith')}</p>
      <ul className="mt-1 list-disc pl-5">
        <li>{t('memoryPage.goesIndex')}</li>
        {links.length > 0 && <li>{t('memoryPage.goesLinks', { count: links.length })}</li>}
        {affect && <li>{t('memoryPage.goesFeeling')}</li>}
        {alone.slice(0, MAX_NAMED).map(({ id, bodyText }) => (
          <li key={id} className="wrap-anywhere">
            {t('memoryPage.goesState', { text: bodyText })}
          </li>
        ))}
        <li>{t('memoryPage.goesAlone')}</li>
      </ul>
      <p className="mt-2">{t('memoryPage.staysOther')}</p>
      {remove.error && <ErrorNote error={remove.error} className="mt-3" />}
    </ConfirmDialog>
  );
}
