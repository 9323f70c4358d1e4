import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Attachment } from '@aizuchi/shared/contract/attachment';
import clsx from 'clsx';
import { type RefObject, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { KeyCap } from '../../../components/KeyCap.tsx';
import { isMac } from '../../../lib/is-mac.ts';
import { lateComponent } from '../../../lib/late-component.ts';
import type { WriteAccess } from '../../../lib/queries/use-write-access.ts';
import { useStore } from '../../../lib/store.ts';
import { AttachButton } from '../../attachments/AttachButton.tsx';
import { useFileDrafts } from '../../attachments/use-file-drafts.ts';
import { useMentionMenu } from '../../mentions/use-mention-menu.ts';
import { useComposer } from './use-composer.ts';
import { useTypedWords } from './use-typed-words.ts';

const MentionMenu = lateComponent(async () => (await import('../../mentions/MentionMenu.tsx')).MentionMenu);
const FileTray = lateComponent(async () => (await import('../../attachments/FileTray.tsx')).FileTray);

interface ComposerProps {
  /** The agent's name. */
  readonly name: string;
  readonly projectId: string;
  readonly draftKey: string;
  readonly inputRef: RefObject<HTMLTextAreaElement | null>;
  /** The agent is not ready yet: a message is stored and delivered later. */
  readonly isPreparing: boolean;
  /** The agent works, and reads a message next. */
  readonly isBusy: boolean;
  readonly isReadOnly: WriteAccess['isReadOnly'];
  readonly enterSends: boolean;
  /** Whom an `@` offers. */
  readonly mentionable: readonly Agent[];
  readonly onSend: (content: string, files: readonly Attachment[]) => void;
}

/** With this few characters left the composer shows how many. */
const SHOW_REMAINING_BELOW = 400;

export function Composer(props: ComposerProps) {
  const { name, inputRef, isPreparing, isBusy, isReadOnly, enterSends } = props;
  const { t } = useTranslation();
  const [countId, menuId] = [useId(), useId()];
  const drafts = useFileDrafts(props.projectId, props.draftKey, !isReadOnly);
  const { text, change, remaining, canSend, send, onKeyDown } = useComposer({ ...props, files: drafts });
  useTypedWords(inputRef);
  const mentions = useMentionMenu({ text, change, area: inputRef, members: props.mentionable });
  const offersNames = mentions.people.length > 0;
  // Names that are not seen are not picked.
  const isMenuOpen = useStore(MentionMenu.code) !== undefined && offersNames;
  const isTooLong = remaining < 0;
  if (isReadOnly)
    return (
      <p className="flex-none border-t border-line px-4.5 py-3 text-12 text-ink-2">
        {t(`chat.readOnly.${isReadOnly}`)}
      </p>
    );
  return (
    <div
      {...drafts.target}
      className={clsx(
        'relative mx-3 mb-3 flex-none rounded-md border bg-surface focus-within:border-accent focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent',
        drafts.isOver ? 'border-accent bg-accent-soft' : 'border-line-strong',
      )}
    >
      {offersNames && (
        <MentionMenu id={menuId} testId="chat-mentions" menu={mentions} className="bottom-full left-0 mb-1" />
      )}
      {drafts.files.length > 0 && (
        <FileTray files={drafts.files} onRetry={drafts.retry} onRemove={drafts.remove} />
      )}
      <textarea
        ref={inputRef}
        data-testid="chat-input"
        data-composer
        // Esc closes the menu, and does not stop the agent.
        data-own-escape={isMenuOpen || undefined}
        aria-label={t('chat.write', { name })}
        aria-describedby={isTooLong ? countId : undefined}
        aria-invalid={isTooLong || undefined}
        placeholder={isBusy ? t('chat.add') : t('chat.write', { name })}
        value={text}
        rows={1}
        aria-autocomplete="list"
        aria-controls={isMenuOpen ? menuId : undefined}
        aria-activedescendant={isMenuOpen ? `${menuId}-${mentions.at}` : undefined}
        onChange={({ target }) => {
          change(target.value);
          mentions.setCaret(target.selectionStart);
        }}
        onSelect={({ currentTarget }) => mentions.setCaret(currentTarget.selectionStart)}
        onBlur={mentions.onBlur}
        onKeyDown={(event) => {
          if (!isMenuOpen || !mentions.onKeyDown(event)) onKeyDown(event);
        }}
        className="field-sizing-content block max-h-[40dvh] min-h-10 w-full resize-none bg-transparent px-3 pt-[9px] pb-[3px] text-14 outline-none pointer-coarse:text-16"
      />
      <div className="flex items-center gap-1.5 p-1">
        <AttachButton onPick={drafts.add} />
        <Remaining id={countId} count={remaining} />
        <span className="flex-1" />
        <SendKeyHint enterSends={enterSends} />
        <SendButton
          isPreparing={isPreparing}
          isOff={(isPreparing && !canSend) || isTooLong || !drafts.isReady}
          onClick={() => {
            send();
            // On a touch screen the keyboard would come back.
            if (matchMedia('(pointer: fine)').matches) inputRef.current?.focus({ preventScroll: true });
          }}
        />
      </div>
    </div>
  );
}

function Remaining({ id, count }: { readonly id: string; readonly count: number }) {
  const { t } = useTranslation();
  return (
    <span
      id={id}
      aria-live="polite"
      className={clsx('num pl-2 text-11', count < 0 ? 'text-red-ink' : 'text-ink-3')}
    >
      {count < 0
        ? t('chat.over', { count: -count })
        : count < SHOW_REMAINING_BELOW
          ? t('chat.left', { count })
          : null}
    </span>
  );
}

function SendKeyHint({ enterSends }: { readonly enterSends: boolean }) {
  const { t } = useTranslation();
  return (
    <span
      className="mr-0.5 flex items-center gap-1 text-11 text-ink-3 pointer-coarse:hidden"
      aria-hidden="true"
    >
      {!enterSends && <KeyCap>{isMac ? '⌘' : 'Ctrl'}</KeyCap>}
      <KeyCap>↵</KeyCap>
      {t('chat.toSend')}
    </span>
  );
}

interface SendButtonProps {
  readonly isPreparing: boolean;
  /** There is nothing to send: a message may also be sent before the agent is ready. */
  readonly isOff: boolean;
  readonly onClick: () => void;
}

function SendButton({ isPreparing, isOff, onClick }: SendButtonProps) {
  const { t } = useTranslation();
  return (
    <Button
      size="sm"
      data-testid="chat-send-button"
      variant={isOff ? 'off' : isPreparing ? 'default' : 'primary'}
      aria-disabled={isOff || undefined}
      className="pointer-coarse:px-3.5 pointer-coarse:text-13"
      // The composer keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClick}
    >
      {isPreparing ? t('chat.preparing') : t('chat.send')}
    </Button>
  );
}
