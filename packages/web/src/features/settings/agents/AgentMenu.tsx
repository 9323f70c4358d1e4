import type { Agent } from '@aizuchi/shared/contract/agent';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { DeleteAgentDialog } from './DeleteAgentDialog.tsx';
import { ResetPasskeyDialog } from './ResetPasskeyDialog.tsx';

/** What an owner can do with an agent or a person: reset the passkey, delete. */
export function AgentMenu({ agent }: { readonly agent: Agent }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'passkey' | 'delete'>();
  const close = () => setAsked(undefined);
  const leave = () =>
    void navigate({
      to: '/settings/$section',
      params: { section: agent.type === 'ai' ? 'agents' : 'people' },
    });
  return (
    <>
      <Button icon="key" data-testid="agent-passkey" onClick={() => setAsked('passkey')}>
        {t('settings.resetPasskey')}
      </Button>
      <Button variant="danger" icon="trash" data-testid="agent-delete" onClick={() => setAsked('delete')}>
        {t('settings.delete')}
      </Button>
      {asked === 'passkey' && <ResetPasskeyDialog agent={agent} onClose={close} />}
      {asked === 'delete' && <DeleteAgentDialog agent={agent} onClose={close} onDeleted={leave} />}
    </>
  );
}
