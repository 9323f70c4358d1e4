import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../../components/Button.tsx';
import { ErrorNote } from '../../../../components/ErrorNote.tsx';
import { Field, TextArea } from '../../../../components/Field.tsx';
import type { useComments } from './use-task-activity.ts';

const MAX_LENGTH = 20_000;

/** Keeps what was written until it is stored. */
export function CommentForm({ write }: { readonly write: ReturnType<typeof useComments>['write'] }) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const isEmpty = text.trim() === '';
  const send = () => {
    if (isEmpty || write.isPending) return;
    write.mutate(text.trim(), { onSuccess: () => setText('') });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <div className="mt-3 flex flex-col gap-2">
      <Field label={t('taskActivity.comment')} hint={t('taskActivity.commentHint')}>
        {(control) => (
          <TextArea
            {...control}
            maxLength={MAX_LENGTH}
            data-testid="task-comment"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      {write.error && <ErrorNote error={write.error} />}
      <div className="flex justify-end">
        <Button isBusy={write.isPending} disabled={isEmpty} data-testid="task-comment-send" onClick={send}>
          {t('taskActivity.send')}
        </Button>
      </div>
    </div>
  );
}
