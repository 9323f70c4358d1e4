import type { MemoryState } from '@aizuchi/shared/contract/memory';
import { Link } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Field, TextArea } from '../../../components/Field.tsx';
import { isComposing } from '../../../lib/is-composing.ts';
import { useUpdateState } from '../../memory/use-memory.ts';

interface CorrectStateProps {
  readonly projectId: string;
  readonly agentId: string;
  readonly state: MemoryState;
}

const MAX_LENGTH = 20_000;

/** Replaces what a state says by the words of a person. The answer above stays, and so does the old text in the history. */
export function CorrectState({ projectId, agentId, state }: CorrectStateProps) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState(state.bodyText);
  const update = useUpdateState({ agentId, projectId }, state.id);
  const fresh = text.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    update.mutate({ bodyText: fresh }, { onSuccess: () => setIsOpen(false) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    setIsOpen(false);
  };
  if (!isOpen)
    return (
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-12">
        {update.isSuccess && (
          <p role="status" className="min-w-0 wrap-anywhere text-ink-2" data-testid="memory-corrected">
            {t('memoryUsed.corrected', { text: state.bodyText })}{' '}
            <Link
              to="/memory/$agentId"
              params={{ agentId }}
              search={{ project: projectId }}
              className="text-accent-ink hover:underline"
            >
              {t('memoryUsed.toMemory')}
            </Link>
          </p>
        )}
        <Button
          size="sm"
          variant="quiet"
          icon="edit"
          data-testid="memory-correct"
          className="-ml-2"
          onClick={() => {
            setText(state.bodyText);
            setIsOpen(true);
          }}
        >
          {t('memoryUsed.correct')}
        </Button>
      </div>
    );
  return (
    <form data-own-escape onSubmit={submit} onKeyDown={onKeyDown} className="mt-1 flex flex-col gap-2">
      <Field label={t('memoryUsed.right')} hint={t('memoryUsed.rightHint')}>
        {(control) => (
          <TextArea
            {...control}
            autoFocus
            required
            maxLength={MAX_LENGTH}
            value={text}
            data-testid="memory-correct-text"
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {update.error && <ErrorNote error={update.error} />}
      <div className="flex justify-end gap-2">
        <Button size="sm" onClick={() => setIsOpen(false)}>
          {t('common.cancel')}
        </Button>
        <Button
          type="submit"
          size="sm"
          variant="primary"
          isBusy={update.isPending}
          disabled={fresh === '' || fresh === state.bodyText}
          data-testid="memory-correct-save"
        >
          {t('common.save')}
        </Button>
      </div>
    </form>
  );
}
