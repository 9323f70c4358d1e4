import { useTranslation } from 'react-i18next';

interface WhyButtonProps {
  readonly isOpen: boolean;
  /** The id of what it shows. */
  readonly controls: string;
  readonly onToggle: () => void;
}

/** Shows which memories an answer has used. */
export function WhyButton({ isOpen, controls, onToggle }: WhyButtonProps) {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      data-testid="chat-why"
      onClick={onToggle}
      className="rounded-sm px-1 text-accent-ink hover:bg-hover pointer-coarse:min-h-9"
    >
      {t('chat.why')}
    </button>
  );
}
