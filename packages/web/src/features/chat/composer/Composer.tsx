import clsx from 'clsx';
import { type KeyboardEvent, type Ref, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { KeyCap } from '../../../components/KeyCap.tsx';
import type { WriteAccess } from '../../../lib/queries/use-write-access.ts';
import { tabStorage } from '../../../lib/tab-storage.ts';
import { PERSON_MESSAGE_MAX_LENGTH } from '../limits.ts';

interface ComposerProps {
  readonly name: string;
  readonly draftKey: string;
  readonly inputRef: Ref<HTMLTextAreaElement>;
  /** The agent is not there yet: what is written is kept and delivered. */
  readonly isPreparing: boolean;
  /** The agent works: it can be stopped, and what is written is read next. */
  readonly isBusy: boolean;
  readonly isReadOnly: WriteAccess['isReadOnly'];
  readonly enterSends: boolean;
  readonly onSend: (content: string) => void;
  readonly onStop: () => void;
}

/** From here on it tells how much room is left. */
const COUNT_FROM = PERSON_MESSAGE_MAX_LENGTH - 400;
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Composer(props: ComposerProps) {
  const { name, draftKey, inputRef, isPreparing, isBusy, isReadOnly, enterSends, onSend, onStop } = props;
  const { t } = useTranslation();
  const id = useId();
  const [text, setText] = useState(() => tabStorage.get(draftKey) ?? '');
  const content = text.trim();
  const left = PERSON_MESSAGE_MAX_LENGTH - [...content].length;
  const canSend = content !== '' && left >= 0;
  const isOff = (isPreparing && !canSend) || left < 0;
  const change = (next: string) => {
    setText(next);
    if (next === '') tabStorage.remove(draftKey);
    else tabStorage.set(draftKey, next);
  };
  const send = () => {
    if (!canSend) return;
    onSend(content);
    change('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const hasModifier = event.ctrlKey || event.metaKey;
    const isSendKey = event.key === 'Enter' && (hasModifier || (enterSends && !event.shiftKey));
    if (isSendKey) send();
    else if (event.key === 'Escape' && isBusy) onStop();
    else return;
    event.preventDefault();
  };
  if (isReadOnly)
    return (
      <p className="flex-none border-t border-line px-4.5 py-3 text-12 text-ink-2">
        {t(`chat.readOnly.${isReadOnly}`)}
      </p>
    );
  return (
    <div className="mx-3 mb-3 flex-none rounded-md border border-line-strong bg-surface focus-within:border-accent focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent">
      <textarea
        ref={inputRef}
        data-testid="chat-input"
        data-composer
        aria-label={t('chat.write', { name })}
        aria-describedby={left < 0 ? `${id}-count` : undefined}
        aria-invalid={left < 0 || undefined}
        placeholder={isBusy ? t('chat.add') : t('chat.write', { name })}
        value={text}
        rows={1}
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content block max-h-[40dvh] min-h-10 w-full resize-none bg-transparent px-3 pt-[9px] pb-[3px] text-14 outline-none pointer-coarse:text-16"
      />
      <div className="flex items-center gap-1.5 p-1">
        <span
          id={`${id}-count`}
          aria-live="polite"
          className={clsx('num pl-2 text-11', left < 0 ? 'text-red-ink' : 'text-ink-3')}
        >
          {left < 0
            ? t('chat.over', { count: -left })
            : left < PERSON_MESSAGE_MAX_LENGTH - COUNT_FROM
              ? t('chat.left', { count: left })
              : null}
        </span>
        <span className="flex-1" />
        {isBusy ? (
          <Button size="sm" icon="stop" data-testid="chat-stop" onClick={onStop}>
            {t('chat.stop')}
            <KeyCap>Esc</KeyCap>
          </Button>
        ) : (
          <span
            className="mr-0.5 flex items-center gap-1 text-11 text-ink-3 pointer-coarse:hidden"
            aria-hidden="true"
          >
            {!enterSends && <KeyCap>{isMac ? '⌘' : 'Ctrl'}</KeyCap>}
            <KeyCap>↵</KeyCap>
            {t('chat.toSend')}
          </span>
        )}
        <Button
          size="sm"
          data-testid="chat-send-button"
          // Off only while there is nothing to send: what is written early is kept and delivered.
          variant={isOff ? 'off' : isPreparing ? 'default' : 'primary'}
          aria-disabled={isOff || undefined}
          className="pointer-coarse:px-3.5 pointer-coarse:text-13"
          onClick={send}
        >
          {isPreparing ? t('chat.preparing') : t('chat.send')}
        </Button>
      </div>
    </div>
  );
}
