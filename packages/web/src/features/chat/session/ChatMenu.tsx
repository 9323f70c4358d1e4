import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../../components/Button.tsx';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../components/Menu.tsx';

interface ChatMenuProps {
  readonly agentId: string;
  readonly canWrite: boolean;
  readonly enterSends: boolean;
  readonly onEnterSends: (enterSends: boolean) => void;
  readonly onNewContext: () => void;
  readonly onEndNow: () => Promise<void>;
}

export function ChatMenu({
  agentId,
  canWrite,
  enterSends,
  onEnterSends,
  onNewContext,
  onEndNow,
}: ChatMenuProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const [isEnding, setIsEnding] = useState(false);
  const end = async () => {
    setIsEnding(true);
    await onEndNow();
    setIsEnding(false);
    setIsAsking(false);
  };
  return (
    <>
      <Menu trigger={<IconButton icon="more" label={t('chat.menu')} data-testid="chat-menu" />}>
        <MenuItem
          icon="info"
          onSelect={() => void navigate({ to: '/agents/$agentId', params: { agentId } })}
          testId="chat-agent-page"
        >
          {t('chat.agentPage')}
        </MenuItem>
        <MenuItem onSelect={() => onEnterSends(!enterSends)} testId="chat-enter-sends">
          <span className="flex-1">{t('chat.enterSends')}</span>
          <span className="w-3.5">
            {enterSends && <Icon name="check" size={14} className="text-accent-ink" />}
          </span>
          <span className="sr-only">{enterSends ? t('chat.checked') : t('chat.unchecked')}</span>
        </MenuItem>
        {canWrite && (
          <>
            <MenuSeparator />
            <MenuItem icon="retry" onSelect={onNewContext} testId="chat-new-context">
              {t('chat.newContext')}
            </MenuItem>
            <MenuItem icon="stop" isDanger onSelect={() => setIsAsking(true)} testId="chat-end-now">
              {t('chat.endNow')}
            </MenuItem>
          </>
        )}
      </Menu>
      <ConfirmDialog
        title={t('chat.endTitle')}
        confirmLabel={t('chat.endConfirm')}
        open={isAsking}
        onOpenChange={setIsAsking}
        onConfirm={() => void end()}
        isBusy={isEnding}
      >
        {t('chat.endText')}
      </ConfirmDialog>
    </>
  );
}
