import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Task } from '@aizuchi/shared/contract/task';
import clsx from 'clsx';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../../components/Button.tsx';
import { ErrorNote } from '../../../../components/ErrorNote.tsx';
import { AttachButton } from '../../../attachments/AttachButton.tsx';
import { FileTray } from '../../../attachments/FileTray.tsx';
import { MentionMenu } from '../../../mentions/MentionMenu.tsx';
import { useCommentBox } from './use-comment-box.ts';

const MAX_LENGTH = 20_000;

interface CommentBoxProps {
  readonly task: Task;
  readonly members: readonly Agent[];
}

/** Writes a comment in markdown; `@` opens a menu of names. */
export function CommentBox({ task, members }: CommentBoxProps) {
  const { t } = useTranslation();
  const menuId = useId();
  const box = useCommentBox(task, members);
  const { mentions, add, drafts } = box;
  const isOpen = mentions.people.length > 0;
  const isOff = box.isEmpty || !drafts.isReady;
  return (
    <div className="relative flex-none border-t border-line px-4 py-2 @2xl:px-6">
      {add.error && <ErrorNote error={add.error} className="mb-2" />}
      {isOpen && (
        <MentionMenu id={menuId} testId="task-mentions" menu={mentions} className="bottom-full left-4 mb-1" />
      )}
      {drafts.files.length > 0 && (
        <FileTray files={drafts.files} onRetry={drafts.retry} onRemove={drafts.remove} />
      )}
      <div
        {...drafts.target}
        className={clsx(
          'flex items-end gap-2 rounded-md border p-1 focus-within:border-accent',
          drafts.isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface',
        )}
      >
        <AttachButton onPick={drafts.add} />
        <textarea
          ref={box.area}
          data-testid="task-comment"
          aria-label={t('task.comment')}
          aria-autocomplete="list"
          aria-controls={isOpen ? menuId : undefined}
          aria-activedescendant={isOpen ? `${menuId}-${mentions.at}` : undefined}
          rows={1}
          maxLength={MAX_LENGTH}
          placeholder={t('task.commentHint')}
          value={box.text}
          onChange={({ target }) => box.change(target.value, target.selectionStart)}
          onSelect={({ currentTarget }) => mentions.setCaret(currentTarget.selectionStart)}
          onBlur={mentions.onBlur}
          onKeyDown={box.onKeyDown}
          className="field-sizing-content max-h-[30dvh] min-h-6 w-full min-w-0 resize-none bg-transparent py-0.5 text-13 outline-none pointer-coarse:text-16"
        />
        <Button
          size="sm"
          data-testid="task-comment-send"
          variant={isOff ? 'off' : 'primary'}
          aria-disabled={isOff || undefined}
          isBusy={add.isPending}
          onClick={box.send}
        >
          {t('task.send')}
        </Button>
      </div>
    </div>
  );
}
