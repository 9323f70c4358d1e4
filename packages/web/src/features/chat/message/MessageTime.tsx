import type { Message } from '@aizuchi/shared/contract/chat';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';
import { Time } from '../../../components/Time.tsx';
import { useErrorText } from '../../../lib/error-text.ts';
import { toast } from '../../../lib/toast.ts';

interface MessageTimeProps {
  readonly message: Message;
  /** Whose chat it is in. */
  readonly agentId: string;
  /** At the end of a line that is aligned to the right: the sign comes first. */
  readonly isRight?: boolean;
}

/** When it was written; a click copies the link to it. */
export function MessageTime({ message, agentId, isRight = false }: MessageTimeProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const copy = () =>
    import('./copy-link.ts')
      .then(({ copyLink }) => copyLink(message, agentId))
      .then((isCopied) =>
        isCopied ? toast.success(t('chat.linkCopied')) : toast.error(t('chat.linkNotCopied')),
      )
      .catch((error: unknown) => toast.error(errorText(error)));
  return (
    <button
      type="button"
      data-testid={`message-link-${message.id}`}
      onClick={() => void copy()}
      className={clsx(
        'group -my-1 flex min-h-6 min-w-6 items-center gap-1 rounded-sm hover:text-accent-ink focus-visible:text-accent-ink',
        isRight && 'flex-row-reverse',
      )}
    >
      <Time at={message.createdAt} format="clock" />
      <span className="sr-only">{t('chat.copyLink')}</span>
      <Icon
        name="link"
        size={12}
        className="opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100 pointer-coarse:opacity-100"
      />
    </button>
  );
}
