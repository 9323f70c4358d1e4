import type { TaskStatus } from '@aizuchi/shared/contract/task';
import { type KeyboardEvent, Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../../../lib/error-text.ts';
import { isComposing } from '../../../lib/is-composing.ts';
import { ListPreview } from './lazy-list-preview.ts';
import { useAddTasks } from './use-add-tasks.ts';

interface QuickAddProps {
  readonly projectId: string;
  readonly status: TaskStatus;
  readonly parentId?: string;
  readonly label: string;
  readonly takesFocus?: boolean;
  /** Esc, or leaving the empty field. */
  readonly onLeave?: () => void;
}

/** A line for the title of a new task: Enter adds it and waits for the next. A pasted list is shown first. */
export function QuickAdd({ projectId, status, parentId, label, takesFocus = false, onLeave }: QuickAddProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const input = useRef<HTMLInputElement>(null);
  const adding = useAddTasks({ projectId, status, ...(parentId !== undefined && { parentId }) });
  const { text, list, error } = adding;
  useEffect(() => {
    if (takesFocus) input.current?.focus();
  }, [takesFocus]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      void adding.add();
    }
    if (event.key === 'Escape') {
      event.preventDefault();
      adding.setText('');
      onLeave?.();
    }
  };
  return (
    <div className="flex flex-none flex-col gap-1">
      <input
        ref={input}
        data-testid="quick-add"
        aria-label={label}
        placeholder={t('board.quickAdd')}
        maxLength={500}
        autoComplete="off"
        value={text}
        onChange={(event) => adding.setText(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => text === '' && !list && onLeave?.()}
        onPaste={(event) => {
          if (adding.paste(event.clipboardData.getData('text/plain'))) event.preventDefault();
        }}
        className="h-8 w-full min-w-0 rounded-md border border-line-strong bg-surface px-2.5 text-13 pointer-coarse:h-10 pointer-coarse:text-16"
      />
      {error !== undefined && !list && (
        <p role="alert" className="text-12 text-red-ink">
          {errorText(error)}
        </p>
      )}
      {list && (
        <Suspense fallback={null}>
          <ListPreview
            adding={adding}
            list={list}
            onClose={() => {
              adding.dropList();
              input.current?.focus();
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
