import type { Task } from '@aizuchi/shared/contract/task';
import { useTranslation } from 'react-i18next';
import { isComposing } from '../../../../lib/is-composing.ts';
import { FieldConflict } from './FieldConflict.tsx';
import type { SaveTask } from './use-save-task.ts';
import { useTextField } from './use-text-field.ts';

interface TextFieldProps {
  readonly task: Task;
  readonly save: SaveTask;
  readonly canWrite: boolean;
}

/** A title of several lines is one line when it is saved: Enter leaves the field. */
export function TaskTitle({ task, save, canWrite }: TextFieldProps) {
  const { t } = useTranslation();
  const field = useTextField(task, 'title', save);
  return (
    <>
      <h2 className="sr-only">{task.title}</h2>
      <textarea
        data-testid="task-title"
        aria-label={t('board.title')}
        rows={1}
        maxLength={500}
        disabled={!canWrite}
        value={field.text}
        onChange={(event) => field.change(event.target.value.replace(/\n+/g, ' '))}
        onBlur={field.commit}
        onKeyDown={(event) => {
          if (isComposing(event.nativeEvent) || (event.key !== 'Enter' && event.key !== 'Escape')) return;
          event.preventDefault();
          event.currentTarget.blur();
        }}
        className="-mx-2 field-sizing-content resize-none rounded-md border border-transparent bg-transparent px-2 py-0.5 text-20 font-semibold text-pretty wrap-anywhere text-ink not-disabled:hover:border-line"
      />
      {field.theirs !== undefined && <FieldConflict field={field} theirs={field.theirs} />}
    </>
  );
}
