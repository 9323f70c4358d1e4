import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { Spinner } from '../../../components/Spinner.tsx';

/** Above the messages while older ones are loaded. */
export function LoadingOlder() {
  const { t } = useTranslation();
  return (
    <p className="absolute inset-x-0 top-2 flex justify-center">
      <span className="flex items-center gap-2 rounded-md border border-line bg-surface px-2 py-1 text-12 text-ink-2">
        <Spinner />
        {t('chat.older')}
      </span>
    </p>
  );
}

/** The address names a message that this chat does not have. */
export function MissingMessage() {
  const { t } = useTranslation();
  return (
    <p
      role="status"
      className="absolute inset-x-3 top-2 rounded-md border border-line-strong bg-surface px-3 py-2 text-12 text-ink-2"
    >
      {t('chat.missing')}
    </p>
  );
}

/** Scrolls to the end; says how many messages arrived there. */
export function ToEndButton({
  newCount,
  onClick,
}: {
  readonly newCount: number;
  readonly onClick: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Button
      size="sm"
      data-testid="chat-new-messages"
      aria-label={newCount > 0 ? undefined : t('chat.toEnd')}
      className={clsx(
        'absolute bottom-2 left-1/2 -translate-x-1/2',
        newCount > 0 && 'border-accent-line text-accent-ink',
      )}
      onClick={onClick}
    >
      {newCount > 0 && t('chat.newMessages', { count: newCount })}
      <Icon name="chevronDown" size={12} />
    </Button>
  );
}
