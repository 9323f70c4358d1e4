import type { Attachment } from '@aizuchi/shared/contract/attachment';
import type { Message } from '@aizuchi/shared/contract/chat';
import clsx from 'clsx';
import { type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { useErrorText } from '../../../lib/error-text.ts';
import { textBeside } from '../../attachments/files.ts';
import { MessageFiles } from '../../attachments/MessageFiles.tsx';
import type { PendingMessage } from '../composer/outbox.ts';
import type { RowToggle } from '../list/MessageList.tsx';
import type { StateTimes } from '../timeline/timeline-state.ts';
import { foldLong } from './fold.ts';
import { Markdown } from './lazy-markdown.ts';
import { MessageTime } from './MessageTime.tsx';
import { Receipt } from './Receipt.tsx';

interface OwnMessageProps {
  readonly message: Message;
  /** Whose chat it is in. */
  readonly agentId: string;
  readonly stateTimes: StateTimes | undefined;
  /** Written by the reader; a message of another person carries that person's name. */
  readonly isMine: boolean;
  /** A long one is folded. */
  readonly toggle: RowToggle;
  readonly onRetry: ((messageIds: readonly string[]) => void) | undefined;
}

/** A message of a person: on the right and tinted; each of its lines stays a line. */
export function OwnMessage({ message, agentId, stateTimes, isMine, toggle, onRetry }: OwnMessageProps) {
  const { t } = useTranslation();
  const { id, attachments, state, senderName, scheduleId } = message;
  const content = textBeside(message.content, attachments);
  const folded = foldLong(content);
  return (
    <Bubble
      label={isMine ? t('chat.you') : senderName}
      testId={`chat-message-${id}`}
      content={folded && !toggle.isOpen ? folded.preview : content}
      files={attachments}
      isMine={isMine}
    >
      {folded && (
        <Button
          size="sm"
          variant="quiet"
          icon={toggle.isOpen ? 'arrowUp' : 'arrowDown'}
          aria-expanded={toggle.isOpen}
          onClick={() => toggle.onToggle(id)}
        >
          {toggle.isOpen ? t('chat.fold') : t('chat.showAll', { count: folded.lines })}
        </Button>
      )}
      {!isMine && <span className="text-ink-2">{senderName}</span>}
      {scheduleId !== undefined && <span data-testid="by-schedule">{t('chat.bySchedule')}</span>}
      <MessageTime message={message} agentId={agentId} isRight />
      <Receipt message={message} stateTimes={stateTimes} />
      {state === 'failed' && onRetry && (
        <LinkButton testId={`message-retry-${id}`} onClick={() => onRetry([id])}>
          {t('chat.retry')}
        </LinkButton>
      )}
    </Bubble>
  );
}

interface PendingMessageRowProps {
  readonly pending: PendingMessage;
  readonly onRetry: (clientMessageId: string) => void;
  readonly onRemove: (clientMessageId: string) => void;
}

/** Not acknowledged by the server; it has no id yet. */
export function PendingMessageRow({ pending, onRetry, onRemove }: PendingMessageRowProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { clientMessageId, attachments, state, error } = pending;
  const content = textBeside(pending.content, attachments);
  const isRefused = state === 'refused';
  return (
    <Bubble label={t('chat.you')} testId="chat-message-pending" content={content} files={attachments} isMine>
      <span data-state={state} className={clsx('flex items-center gap-1', isRefused && 'text-red-ink')}>
        {isRefused ? <Icon name="warning" size={14} /> : <Spinner />}
        {t(`chat.state.${state}`)}
      </span>
      {state !== 'sending' && (
        <LinkButton onClick={() => onRetry(clientMessageId)}>{t('chat.retry')}</LinkButton>
      )}
      {isRefused && <LinkButton onClick={() => onRemove(clientMessageId)}>{t('chat.remove')}</LinkButton>}
      {isRefused && <span className="w-full text-right text-red-ink">{errorText(error)}</span>}
    </Bubble>
  );
}

interface BubbleProps {
  readonly label: string;
  readonly testId: string;
  /** Empty: it has only files. */
  readonly content: string;
  readonly files: readonly Attachment[] | undefined;
  readonly isMine: boolean;
  /** The line under it. */
  readonly children: ReactNode;
}

function Bubble({ label, testId, content, files, isMine, children }: BubbleProps) {
  return (
    <article aria-label={label} data-testid={testId} className="flex min-w-0 flex-col items-end gap-1">
      <div
        className={clsx(
          'own-text others-text flex max-w-[88%] min-w-0 flex-col gap-2 rounded-md border px-3 py-[7px] text-14 leading-message text-pretty wrap-anywhere [&_:is(p,li)]:whitespace-pre-wrap',
          isMine ? 'border-accent-line bg-accent-soft' : 'border-line bg-sunken',
        )}
      >
        {content !== '' && (
          <Suspense fallback={<p>{content}</p>}>
            <Markdown unfolds>{content}</Markdown>
          </Suspense>
        )}
        {files && <MessageFiles files={files} />}
      </div>
      <div className="num flex flex-wrap items-center justify-end gap-x-1.5 pr-0.5 text-11 text-ink-3">
        {children}
      </div>
    </article>
  );
}

function LinkButton({
  onClick,
  testId,
  children,
}: {
  readonly onClick: () => void;
  readonly testId?: string;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      data-testid={testId}
      onClick={onClick}
      className="rounded-sm px-0.5 font-medium text-accent-ink underline-offset-2 hover:underline pointer-coarse:min-h-6"
    >
      {children}
    </button>
  );
}
