import type { MemoryState, UpdateStateBody } from '@aizuchi/shared/contract/memory';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Field, Input, TextArea } from '../../../components/Field.tsx';
import { type MemoryPart, useUpdateState } from '../use-memory.ts';
import { dayField, endOfDay } from './state-validity.ts';

interface StateEditorProps {
  readonly part: MemoryPart;
  readonly state: MemoryState;
  readonly onDone: () => void;
}

const MAX_LENGTH = 20_000;

/** Corrects what a state says, how sure it is, and until when. The history keeps what it said before. */
export function StateEditor({ part, state, onDone }: StateEditorProps) {
  const { t } = useTranslation();
  const update = useUpdateState(part, state.id);
  // Only what this person has changed is sent: the state may be read again meanwhile, and say something else.
  const [opened, setOpened] = useState(state);
  const [text, setText] = useState(state.bodyText);
  const [percent, setPercent] = useState(Math.round(state.confidence * 100));
  const [day, setDay] = useState(dayField(state.validTo));
  const isTextChanged = text.trim() !== opened.bodyText;
  const isClash = isTextChanged && state.bodyText !== opened.bodyText && state.bodyText !== text.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body: UpdateStateBody = {
      ...(isTextChanged && { bodyText: text.trim() }),
      ...(percent !== Math.round(opened.confidence * 100) && { confidence: percent / 100 }),
      ...(day !== dayField(opened.validTo) && { validTo: endOfDay(day) }),
    };
    update.mutate(body, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 border-t border-line p-3">
      <Field label={t('memoryPage.says')}>
        {(control) => (
          <TextArea
            {...control}
            required
            maxLength={MAX_LENGTH}
            value={text}
            data-testid="memory-state-text"
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t('memoryPage.confidenceLabel')}>
          {(control) => (
            <Input
              {...control}
              type="number"
              min={0}
              max={100}
              step={1}
              required
              value={percent}
              onChange={({ target }) => setPercent(target.valueAsNumber)}
            />
          )}
        </Field>
        <Field label={t('memoryPage.validToLabel')} hint={t('memoryPage.validToHint')}>
          {(control) => (
            <Input
              {...control}
              type="date"
              max="9999-12-31"
              value={day}
              onChange={({ target }) => setDay(target.value)}
            />
          )}
        </Field>
      </div>
      {isClash && (
        <div
          role="alert"
          data-testid="memory-state-clash"
          className="rounded-md border border-amber-line bg-amber-soft px-3 py-2 text-13 text-amber-ink"
        >
          <p className="font-semibold">{t('board.conflict')}</p>
          <p className="mt-1 line-clamp-6 whitespace-pre-wrap wrap-anywhere text-ink">{state.bodyText}</p>
          <Button
            size="sm"
            className="mt-2"
            data-testid="memory-state-take-theirs"
            onClick={() => {
              setOpened(state);
              setText(state.bodyText);
            }}
          >
            {t('task.takeTheirs')}
          </Button>
        </div>
      )}
      {update.error && <ErrorNote error={update.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{t('common.cancel')}</Button>
        <Button
          type="submit"
          variant="primary"
          isBusy={update.isPending}
          disabled={text.trim() === ''}
          data-testid="memory-state-save"
        >
          {t('common.save')}
        </Button>
      </div>
    </form>
  );
}
