import clsx from 'clsx';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../lib/error-text.ts';
import { Button } from './Button.tsx';
import { Icon } from './Icon.tsx';

interface ErrorNoteProps {
  readonly error: unknown;
  /** What failed, where the error code alone does not say it. */
  readonly title?: ReactNode;
  readonly onRetry?: () => void;
  readonly className?: string;
}

/** What happened, why, and what to do. It stays until the problem is solved, which a toast would not. */
export function ErrorNote({ error, title, onRetry, className }: ErrorNoteProps) {
  const { t } = useTranslation();
  const text = useErrorText()(error);
  const note = useRef<HTMLDivElement>(null);
  // Under the last field of a dialog it may be out of view, in a zoomed window always. A page is not scrolled unasked.
  useEffect(() => {
    if (error && note.current?.closest('[role="dialog"]')) note.current.scrollIntoView({ block: 'nearest' });
  }, [error]);
  return (
    <div
      ref={note}
      role="alert"
      className={clsx(
        'flex items-start gap-2 rounded-md border border-red-line bg-red-soft px-3 py-2 text-13 text-red-ink',
        className,
      )}
    >
      <Icon name="warning" className="mt-0.5" />
      <div className="min-w-0 flex-1 wrap-anywhere">
        {title && <p className="font-semibold">{title}</p>}
        <p>{text}</p>
      </div>
      {onRetry && (
        <Button size="sm" icon="retry" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
    </div>
  );
}
