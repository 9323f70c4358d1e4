import type { TaskComment } from '@aizuchi/shared/contract/task';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../../../components/Button.tsx';
import { ConfirmDialog } from '../../../../components/ConfirmDialog.tsx';
import { meQuery } from '../../../../lib/queries/queries.ts';

interface DeleteCommentProps {
  readonly comment: TaskComment;
  readonly who: string;
  readonly onDelete: () => void;
}

/** For its author and for owners. */
export function DeleteComment({ comment, who, onDelete }: DeleteCommentProps) {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const [isAsking, setIsAsking] = useState(false);
  if (me?.accessLevel !== 'owner' && me?.id !== comment.authorId) return null;
  return (
    <>
      <IconButton
        icon="trash"
        label={t('taskActivity.deleteComment', { who })}
        onClick={() => setIsAsking(true)}
      />
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('taskActivity.deleteTitle')}
        confirmLabel={t('taskActivity.delete')}
        isBusy={false}
        onConfirm={() => {
          setIsAsking(false);
          onDelete();
        }}
      >
        {t('taskActivity.deleteText')}
      </ConfirmDialog>
    </>
  );
}
