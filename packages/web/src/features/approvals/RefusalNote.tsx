import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { isComposing } from '../../lib/is-composing.ts';

/** As in the contract; counted there in code points, here in the smaller units of the browser. */
const MAX_NOTE_LENGTH = 1_000;

interface RefusalNoteProps {
  readonly id: string;
  readonly note: string;
  readonly isSending: boolean;
  readonly onChange: (note: string) => void;
  readonly onBack: () => void;
  readonly onDeny: () => void;
}

/** The note of a refusal, in the card. The agent is told what is written here. */
export function RefusalNote({ id, note, isSending, onChange, onBack, onDeny }: RefusalNoteProps) {
  const { t } = useTranslation();
  const field = useRef<HTMLTextAreaElement>(null);
  // Not by autoFocus: a card that comes back into the document by scrolling must not take the focus.
  useEffect(() => {
    const button = document.activeElement;
    if (button?.getAttribute('data-testid') === `approval-deny-${id}`) field.current?.focus();
  }, [id]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'Escape') onBack();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onDeny();
    else return;
    event.preventDefault();
  };
  return (
    <div className="mx-3 mb-3 rounded-md border border-accent bg-surface focus-within:outline focus-within:outline-accent">
      <textarea
        ref={field}
        data-own-escape
        data-testid={`approval-note-${id}`}
        aria-label={t('approvals.noteLabel')}
        placeholder={t('approvals.noteLabel')}
        value={note}
        rows={1}
        maxLength={MAX_NOTE_LENGTH}
        disabled={isSending}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content block max-h-40 min-h-8 w-full resize-none bg-transparent px-2.5 pt-[7px] pb-[3px] text-13 outline-none pointer-coarse:text-16"
      />
      <div className="flex items-center gap-1 p-1 text-11 text-ink-3">
        <span className="min-w-0 flex-1 truncate pl-1.5">{t('approvals.notePassedOn')}</span>
        <Button size="sm" variant="quiet" disabled={isSending} onClick={onBack}>
          {t('approvals.back')}
        </Button>
        <Button size="sm" disabled={isSending} data-testid={`approval-deny-send-${id}`} onClick={onDeny}>
          {t(note.trim() === '' ? 'approvals.denyOnly' : 'approvals.denyAndTell')}
        </Button>
      </div>
    </div>
  );
}
