import type { Message } from '@aizuchi/shared/contract/chat';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { Time } from '../../components/Time.tsx';
import { Markdown } from '../chat/message/Markdown.tsx';

interface ConversationMessageProps {
  readonly message: Message;
  readonly name: string;
  /** The participant's side. */
  readonly isRight: boolean;
  /** "5 / 20" */
  readonly place: string;
}

export function ConversationMessage({ message, name, isRight, place }: ConversationMessageProps) {
  const { t } = useTranslation();
  return (
    <div
      data-testid={`chat-message-${message.id}`}
      data-sender={message.senderId}
      className={clsx(
        'grid gap-x-3 gap-y-1',
        isRight
          ? 'grid-cols-[minmax(0,520px)_28px] justify-end justify-items-end'
          : 'grid-cols-[28px_minmax(0,520px)]',
      )}
    >
      <Avatar name={name} type="ai" size={28} className={isRight ? 'col-start-2 row-start-1' : ''} />
      <p
        className={clsx(
          'flex min-h-5 max-w-full min-w-0 items-center gap-2',
          isRight && 'col-start-1 row-start-1 flex-row-reverse',
        )}
      >
        <span className="min-w-0 truncate text-13 font-semibold">{name}</span>
        <Time at={message.createdAt} format="clock" className="flex-none text-12 text-ink-3" />
        <span className="flex-none text-11 text-ink-3 tabular-nums">{place}</span>
      </p>
      <div
        className={clsx(
          'others-text flex min-w-0 max-w-full flex-col gap-2 rounded-md border px-3 py-2 text-14 leading-(--leading-message) wrap-anywhere',
          isRight
            ? 'col-start-1 border-accent-line bg-accent-soft'
            : 'col-start-2 w-fit border-line bg-canvas',
        )}
      >
        <Markdown>{message.content}</Markdown>
      </div>
      {message.state === 'failed' && (
        <p className={clsx('text-12 text-red-ink', isRight ? 'col-start-1' : 'col-start-2')}>
          {t('conversations.undelivered')}
        </p>
      )}
    </div>
  );
}
