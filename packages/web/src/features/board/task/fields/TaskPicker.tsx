import type { Task } from '@aizuchi/shared/contract/task';
import { Command } from 'cmdk';
import { Popover } from 'radix-ui';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { StatusIcon } from '../../card/StatusIcon.tsx';
import { shortId } from '../../columns.ts';
import { candidatesFor } from './candidates.ts';
import { QUIET_CONTROL } from './property.tsx';

interface TaskPickerProps {
  readonly id?: string;
  readonly label: string;
  readonly task: Task;
  readonly tasks: readonly Task[];
  readonly relation: 'parent' | 'dependsOn';
  readonly onPick: (taskId: string) => void;
}

/** Chooses another task by its title. What would close a circle is shown, and cannot be chosen. */
export function TaskPicker({ id, label, task, tasks, relation, onPick }: TaskPickerProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger
        id={id}
        data-testid={`task-pick-${relation}`}
        className={`${QUIET_CONTROL} text-left text-ink-2`}
      >
        {label}
      </Popover.Trigger>
      <Popover.Content
        align="end"
        sideOffset={4}
        collisionPadding={8}
        role="dialog"
        aria-label={label}
        className="z-50 w-80 max-w-[calc(100vw-16px)] rounded-md border border-line-strong bg-surface"
      >
        <Choices
          label={label}
          task={task}
          tasks={tasks}
          relation={relation}
          onPick={(taskId) => {
            setIsOpen(false);
            onPick(taskId);
          }}
        />
      </Popover.Content>
    </Popover.Root>
  );
}

function Choices({ label, task, tasks, relation, onPick }: Omit<TaskPickerProps, 'id'>) {
  const { t } = useTranslation();
  const [words, setWords] = useState('');
  const candidates = useMemo(
    () => candidatesFor(task, tasks, relation, words),
    [task, tasks, relation, words],
  );
  return (
    <Command shouldFilter={false} label={label} loop>
      <Command.Input
        value={words}
        onValueChange={setWords}
        placeholder={t('task.searchTasks')}
        className="h-9 w-full border-b border-line bg-transparent px-3 text-13 outline-none pointer-coarse:text-16"
      />
      {candidates.length === 0 && <p className="px-3 py-2 text-12 text-ink-2">{t('task.noTaskFound')}</p>}
      <Command.List label={label} className="max-h-64 overflow-y-auto p-1">
        {candidates.map((one) => (
          <Command.Item
            key={one.task.id}
            value={one.task.id}
            disabled={one.closesCircle}
            onSelect={() => onPick(one.task.id)}
            className="flex min-h-7 items-center gap-2 rounded-sm px-2 py-1 text-12 data-[disabled=true]:text-ink-3 data-[selected=true]:bg-hover pointer-coarse:min-h-9"
          >
            <StatusIcon status={one.task.status} />
            <span className="min-w-0 flex-1">
              <span className="line-clamp-2 wrap-anywhere">{one.task.title}</span>
              {one.closesCircle && <span className="block text-11">{t(`task.circle.${relation}`)}</span>}
            </span>
            <span className="flex-none font-mono text-11 text-ink-3">{shortId(one.task.id)}</span>
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}
