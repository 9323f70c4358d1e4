import type { Agent } from '@aizuchi/shared/contract/agent';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { ResetPasskeyDialog } from '../../settings/agents/ResetPasskeyDialog.tsx';

/** Whether the agent can sign in, and a new passkey for who connects it by hand. */
export function CredentialPanel({ agent }: { readonly agent: Agent }) {
  const { t } = useTranslation();
  const [isAsked, setIsAsked] = useState(false);
  return (
    <Panel title={t('agentPage.credential')}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2.5" data-testid="agent-credential">
        <Icon name="key" size={14} className={agent.hasCredential ? 'text-ink-3' : 'text-amber-ink'} />
        <p className="min-w-40 flex-1 text-12 text-pretty text-ink-2">
          {t(agent.hasCredential ? 'agentPage.hasPasskey' : 'agentPage.noPasskey')}
        </p>
        <Button size="sm" data-testid="agent-passkey" onClick={() => setIsAsked(true)}>
          {t('settings.resetPasskey')}
        </Button>
      </div>
      {isAsked && <ResetPasskeyDialog agent={agent} onClose={() => setIsAsked(false)} />}
    </Panel>
  );
}
