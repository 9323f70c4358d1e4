import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';

interface ReplyLineProps {
  readonly children: string;
  readonly onUndo: () => void;
}

/** What became of a text of the composer, and the way back. */
export function ReplyLine({ children, onUndo }: ReplyLineProps) {
  const { t } = useTranslation();
  return (
    <p
      role="status"
      data-testid="card-reply"
      className="mx-3 mb-1 flex flex-none flex-wrap items-center gap-x-2 gap-y-1 rounded-md border border-ask-line bg-ask-soft px-3 py-1.5 text-12 text-ink-2"
    >
      <Icon name="question" size={14} className="text-ask-ink" />
      <span className="line-clamp-2 min-w-32 flex-1 wrap-anywhere">{children}</span>
      <button
        type="button"
        data-testid="card-reply-undo"
        className="font-medium text-accent-ink hover:underline pointer-coarse:min-h-6"
        onClick={onUndo}
      >
        {t('questions.replyAsMessage')}
      </button>
    </p>
  );
}
