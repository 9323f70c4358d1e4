import type { Task } from '@aizuchi/shared/contract/task';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../../components/Button.tsx';
import { isComposing } from '../../../../lib/is-composing.ts';
import { Markdown } from '../../../chat/message/lazy-markdown.ts';
import { checklistCount } from './checklist.ts';
import { FieldConflict } from './FieldConflict.tsx';
import type { SaveTask } from './use-save-task.ts';
import { type TextField, useTextField } from './use-text-field.ts';
import { useTicks } from './use-ticks.ts';

interface TaskDescriptionProps {
  readonly task: Task;
  readonly save: SaveTask;
  readonly canWrite: boolean;
}

/** The markdown of the task: rendered, with checklists to tick; as text while it is written. */
export function TaskDescription({ task, save, canWrite }: TaskDescriptionProps) {
  const { t } = useTranslation();
  const [isEditing, setIsEditing] = useState(false);
  const field = useTextField(task, 'description', save);
  const { shown, tick } = useTicks(task, save);
  const text = field.text === task.description ? shown : field.text;
  const { total, done } = checklistCount(text);
  return (
    <>
      {isEditing || field.theirs !== undefined ? (
        <Editor field={field} onDone={() => setIsEditing(false)} />
      ) : (
        <>
          {text !== '' && (
            <div
              data-testid="task-description-text"
              className="others-text flex flex-col gap-2 text-14 leading-message text-pretty wrap-anywhere"
            >
              <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
                <Markdown onTick={canWrite ? tick : undefined}>{text}</Markdown>
              </Suspense>
            </div>
          )}
          <div className="flex items-center gap-3">
            {canWrite && (
              <Button
                size="sm"
                variant="quiet"
                icon="edit"
                className="-ml-2"
                data-testid="task-describe"
                onClick={() => setIsEditing(true)}
              >
                {t(text === '' ? 'task.describe' : 'task.editText')}
              </Button>
            )}
            {total > 0 && (
              <span className="num text-12 text-ink-3">{t('task.ticked', { done, count: total })}</span>
            )}
          </div>
        </>
      )}
      {field.theirs !== undefined && <FieldConflict field={field} theirs={field.theirs} />}
    </>
  );
}

function Editor({ field, onDone }: { readonly field: TextField; readonly onDone: () => void }) {
  const { t } = useTranslation();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  return (
    <textarea
      ref={area}
      data-testid="task-description"
      aria-label={t('board.description')}
      maxLength={50_000}
      value={field.text}
      placeholder={t('task.markdown')}
      onChange={(event) => field.change(event.target.value)}
      onBlur={() => {
        field.commit();
        onDone();
      }}
      onKeyDown={(event) => {
        const isDone = event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey));
        if (isComposing(event.nativeEvent) || !isDone) return;
        event.preventDefault();
        event.currentTarget.blur();
      }}
      className="-mx-2 field-sizing-content max-h-[60dvh] min-h-24 resize-y rounded-md border border-line-strong bg-surface px-2 py-1.5 text-14 pointer-coarse:text-16"
    />
  );
}
