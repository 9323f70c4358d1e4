import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../../components/Dialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { type ListedTask, MAX_ITEMS } from './task-list.ts';
import type { AddTasks } from './use-add-tasks.ts';

export interface ListPreviewProps {
  readonly adding: AddTasks;
  readonly list: readonly ListedTask[];
  readonly onClose: () => void;
}

/** What becomes of a pasted list, before it does. */
export function ListPreview({ adding, list, onClose }: ListPreviewProps) {
  const { t } = useTranslation();
  const { isTooLong, isAdding, error } = adding;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !isAdding && onClose()}
      title={t('task.list.title', { count: list.length })}
      description={t('task.list.text')}
      testId="task-list"
    >
      <DialogBody>
        {isTooLong && (
          <p role="alert" className="text-13 text-red-ink">
            {t('task.list.tooLong', { most: MAX_ITEMS })}
          </p>
        )}
        <ul className="flex flex-col gap-1 text-13">
          {list.slice(0, MAX_ITEMS).map((one, index) => (
            <li
              key={index}
              className="flex items-start gap-2 wrap-anywhere"
              style={{ paddingLeft: depthOf(list, index) * 20 }}
            >
              <Icon name={one.isDone ? 'done' : 'circle'} size={14} className="mt-[3px] text-ink-3" />
              <span className="min-w-0">
                {one.title}
                {one.isDone && <span className="sr-only"> {t('board.status.done')}</span>}
              </span>
            </li>
          ))}
        </ul>
        {error !== undefined && <ErrorNote error={error} title={t('task.list.failed')} />}
      </DialogBody>
      <DialogFoot>
        <Button disabled={isAdding} onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button
          variant="primary"
          data-testid="task-list-add"
          disabled={isTooLong}
          isBusy={isAdding}
          onClick={() => void adding.addList()}
        >
          {t('task.list.add', { count: list.length })}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

/** Deeper parts than a phone has room for stand below each other. */
const MAX_DEPTH = 5;

function depthOf(list: readonly ListedTask[], index: number): number {
  const parent = list[index]?.parent;
  return parent === undefined ? 0 : Math.min(MAX_DEPTH, depthOf(list, parent) + 1);
}
