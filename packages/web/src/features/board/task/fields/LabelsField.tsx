import type { Task } from '@aizuchi/shared/contract/task';
import { useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Chip } from '../../../../components/Chip.tsx';
import { Icon } from '../../../../components/Icon.tsx';
import { isComposing } from '../../../../lib/is-composing.ts';
import { Property, QUIET_CONTROL } from './property.tsx';
import type { ChangeOf } from './use-save-task.ts';

const MAX_LABELS = 20;

interface LabelsFieldProps {
  readonly task: Task;
  readonly tasks: readonly Task[];
  readonly canWrite: boolean;
  readonly onChange: (change: ChangeOf) => void;
}

/** The labels of the task; Enter adds one. Those of the other tasks are offered. */
export function LabelsField({ task, tasks, canWrite, onChange }: LabelsFieldProps) {
  const { t } = useTranslation();
  const listId = useId();
  const [text, setText] = useState('');
  const known = useMemo(() => [...new Set(tasks.flatMap(({ labels }) => labels))].sort(), [tasks]);
  const { labels } = task;
  const add = () => {
    const label = text.trim();
    setText('');
    if (label !== '' && !labels.includes(label))
      onChange((now) => ({ labels: [...new Set([...now.labels, label])] }));
  };
  return (
    <Property icon="file" label={t('task.field.labels')}>
      {(id) => (
        <>
          {labels.map((label) => (
            <Chip key={label}>
              <span className="max-w-36 truncate">{label}</span>
              {canWrite && (
                <button
                  type="button"
                  aria-label={t('task.removeLabel', { label })}
                  onClick={() => onChange((now) => ({ labels: now.labels.filter((one) => one !== label) }))}
                  className="-mr-1 grid size-6 flex-none place-items-center text-ink-3 hover:text-ink pointer-coarse:size-9"
                >
                  <Icon name="close" size={12} />
                </button>
              )}
            </Chip>
          ))}
          {canWrite && labels.length < MAX_LABELS && (
            <>
              <input
                id={id}
                data-testid="task-label"
                list={listId}
                maxLength={50}
                autoComplete="off"
                value={text}
                placeholder={t('task.addLabel')}
                onChange={(event) => setText(event.target.value)}
                onBlur={add}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
                  event.preventDefault();
                  add();
                }}
                className={`${QUIET_CONTROL} max-w-36`}
              />
              <datalist id={listId}>
                {known
                  .filter((label) => !labels.includes(label))
                  .map((label) => (
                    <option key={label} value={label} />
                  ))}
              </datalist>
            </>
          )}
        </>
      )}
    </Property>
  );
}
