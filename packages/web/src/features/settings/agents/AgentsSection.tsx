import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { Button } from '../../../components/Button.tsx';
import { Chip } from '../../../components/Chip.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { Panel, ReadingPage } from '../../../components/Panel.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { joined } from '../../../lib/joined.ts';
import { agentsQuery, meQuery } from '../../../lib/queries/queries.ts';
import { AddAgentDialog } from './AddAgentDialog.tsx';

/** The AI agents of all projects that the reader may see. */
export function AgentsSection() {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { data: agents, error, refetch } = useQuery(agentsQuery());
  const navigate = useNavigate();
  const [isCreating, setIsCreating] = useState(false);
  const ai = agents?.filter((agent) => agent.type === 'ai');
  const createButton = me?.accessLevel === 'owner' && (
    <Button variant="primary" icon="plus" data-testid="agent-new" onClick={() => setIsCreating(true)}>
      {t('settings.addAgent')}
    </Button>
  );
  return (
    <ReadingPage title={t('app.settingsSection.agents')} aside={ai?.length !== 0 && createButton}>
      <p className="-mt-4 text-13 text-pretty text-ink-2">{t('settings.agentsIntro')}</p>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!ai && !error && <PhaseLine>{t('common.loading')}</PhaseLine>}
      {ai?.length === 0 && (
        <EmptyState icon="terminal" title={t('settings.noAgentsTitle')} action={createButton}>
          {t('settings.noAgentsText')}
        </EmptyState>
      )}
      {ai && ai.length > 0 && (
        <Panel>
          {ai.map((agent) => (
            <AgentRow key={agent.id} agent={agent} />
          ))}
        </Panel>
      )}
      {isCreating && (
        <AddAgentDialog
          onClose={() => setIsCreating(false)}
          onAdded={(agentId, projectId) =>
            void (projectId === undefined
              ? navigate({ to: '/agents/$agentId', params: { agentId } })
              : navigate({ to: '/projects/$projectId', params: { projectId }, search: { agent: agentId } }))
          }
        />
      )}
    </ReadingPage>
  );
}

function AgentRow({ agent }: { readonly agent: Agent }) {
  const { t } = useTranslation();
  const second = [t(`projects.provider.${agent.provider ?? 'builtin'}`), agent.role];
  return (
    <Link
      to="/agents/$agentId"
      params={{ agentId: agent.id }}
      data-testid={`agent-${agent.id}`}
      className="flex min-h-14 items-center gap-3 px-4 py-2 first:rounded-t-md last:rounded-b-md hover:bg-hover focus-visible:-outline-offset-2"
    >
      <Avatar name={agent.name} type="ai" size={28} />
      <div className="min-w-0 flex-1">
        <p className="truncate text-13 font-medium">{agent.name}</p>
        <p className="truncate text-12 text-ink-2">{joined(second)}</p>
      </div>
      {!agent.hasCredential && <Chip tone="amber">{t('settings.noPasskey')}</Chip>}
      {agent.labels.slice(0, 2).map((label) => (
        <Chip key={label}>{label}</Chip>
      ))}
      <Icon name="chevronRight" size={12} className="text-ink-3" />
    </Link>
  );
}
