import { useTranslation } from 'react-i18next';
import { IconButton } from '../../components/Button.tsx';

interface ChatPanelProps {
  readonly projectId: string;
  readonly agentId: string;
  /** The message of the address, to be shown. */
  readonly messageId: string | undefined;
  readonly onClose: () => void;
}

/** Slot: the chat with one agent. Fills the column that ProjectFrame gives it. */
export function ChatPanel({ agentId, onClose }: ChatPanelProps) {
  const { t } = useTranslation();
  return (
    <div className="flex h-14 items-center gap-3 border-b border-line pr-3 pl-4.5">
      <b className="flex-1">{agentId}</b>
      <IconButton icon="close" label={t('common.close')} data-testid="chat-close" onClick={onClose} />
    </div>
  );
}
