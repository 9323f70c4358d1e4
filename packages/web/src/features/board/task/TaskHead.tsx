import type { Task } from '@aizuchi/shared/contract/task';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../../components/Button.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { Menu, MenuItem } from '../../../components/Menu.tsx';
import { takeFocus } from '../../../lib/take-focus.ts';
import { shortId } from '../columns.ts';
import { DeleteTaskDialog } from './DeleteTaskDialog.tsx';
import { TaskLink } from './TaskLink.tsx';
import type { TaskPanelProps } from './TaskPanel.tsx';

/** Where the task stands, and what can be done with it as a whole. */
export function TaskHead({
  projectId,
  task,
  tasks,
  column,
  canWrite,
  onOpen,
  onClose,
}: TaskPanelProps & { readonly task: Task }) {
  const { t } = useTranslation();
  const [isDeleting, setIsDeleting] = useState(false);
  const close = useRef<HTMLButtonElement>(null);
  // The panel takes the focus when it opens, so that its keys and a screen reader go on inside of it.
  useEffect(() => takeFocus(close.current), []);
  const parent = tasks.find(({ id }) => id === task.parentId);
  return (
    <header className="flex h-11 flex-none items-center gap-2 border-b border-line pr-2 pl-4 text-12 text-ink-2 @2xl:pl-6">
      {parent && (
        <>
          <span className="min-w-0 shrink truncate">
            <TaskLink id={parent.id}>{parent.title}</TaskLink>
          </span>
          <Icon name="chevronRight" size={12} className="text-ink-3" />
        </>
      )}
      <span className="min-w-0 truncate font-mono" title={task.id}>
        {shortId(task.id)}
      </span>
      <span className="flex-1" />
      <Siblings task={task} column={column} onOpen={onOpen} />
      {canWrite && (
        <Menu trigger={<IconButton icon="more" label={t('task.more')} data-testid="task-more" />}>
          <MenuItem icon="trash" isDanger testId="task-delete" onSelect={() => setIsDeleting(true)}>
            {t('board.delete')}
          </MenuItem>
        </Menu>
      )}
      <IconButton
        ref={close}
        icon="close"
        label={t('task.close')}
        data-testid="task-close"
        onClick={onClose}
      />
      <DeleteTaskDialog
        projectId={projectId}
        task={task}
        isOpen={isDeleting}
        onOpenChange={setIsDeleting}
        onDeleted={onClose}
      />
    </header>
  );
}

/** The cards before and after it in its column. */
function Siblings({
  task,
  column,
  onOpen,
}: Pick<TaskPanelProps, 'column' | 'onOpen'> & { readonly task: Task }) {
  const { t } = useTranslation();
  const index = column.findIndex(({ id }) => id === task.id);
  if (index < 0 || column.length < 2) return null;
  const [before, after] = [column[index - 1], column[index + 1]];
  return (
    <span className="flex flex-none items-center gap-1">
      <span className="num px-1 text-ink-3">{t('task.place', { n: index + 1, count: column.length })}</span>
      <IconButton
        icon="arrowUp"
        label={t('task.before')}
        disabled={!before}
        onClick={() => before && onOpen(before.id)}
      />
      <IconButton
        icon="arrowDown"
        label={t('task.after')}
        disabled={!after}
        onClick={() => after && onOpen(after.id)}
      />
    </span>
  );
}
