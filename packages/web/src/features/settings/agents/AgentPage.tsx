import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { NotFoundPage } from '../../../app/NotFoundPage.tsx';
import { Avatar } from '../../../components/Avatar.tsx';
import { Chip } from '../../../components/Chip.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { ReadingPage } from '../../../components/Panel.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { Time } from '../../../components/Time.tsx';
import { isCode } from '../../../lib/api/api-error.ts';
import { meQuery } from '../../../lib/queries/queries.ts';
import { SettingsNav } from '../SettingsNav.tsx';
import { AgentForm } from './AgentForm.tsx';
import { AgentMenu } from './AgentMenu.tsx';
import { AgentProjects } from './AgentProjects.tsx';
import { agentQuery } from './agent-queries.ts';

const route = getRouteApi('/signed-in/agents/$agentId');

/** One agent or person, with projects and sessions; owners can change it. */
export function AgentPage() {
  const { t } = useTranslation();
  const { agentId } = route.useParams();
  const { data: me } = useQuery(meQuery());
  const { data: agent, error, refetch } = useQuery(agentQuery(agentId));
  if (!agent && isCode(error, 'agent_not_found')) return <NotFoundPage />;
  const isOwner = me?.accessLevel === 'owner';
  return (
    <div className="flex h-full max-sm:flex-col">
      <SettingsNav current={agent?.type === 'human' ? 'people' : 'agents'} />
      <main id="content" className="min-h-0 min-w-0 flex-1">
        <ReadingPage title={agent?.name ?? agentId} aside={agent && isOwner && <AgentMenu agent={agent} />}>
          {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
          {!agent && !error && <PhaseLine>{t('common.loading')}</PhaseLine>}
          {agent && (
            <>
              <div className="-mt-3 flex flex-wrap items-center gap-x-3 gap-y-2 text-12 text-ink-2">
                <Avatar name={agent.name} type={agent.type} size={32} />
                <span className="font-mono select-all">{agent.id}</span>
                <Chip>
                  {agent.type === 'ai'
                    ? t(`projects.provider.${agent.provider ?? 'builtin'}`)
                    : t(`app.accessLevel.${agent.accessLevel ?? 'viewer'}`)}
                </Chip>
                {!agent.hasCredential && <Chip tone="amber">{t('settings.noPasskey')}</Chip>}
                {agent.labels.map((label) => (
                  <Chip key={label}>{label}</Chip>
                ))}
                {agent.role !== undefined && <span>{agent.role}</span>}
                <span>
                  {t('board.created')} <Time at={agent.createdAt} />
                </span>
              </div>
              <AgentProjects agent={agent} />
              {agent.type === 'ai' && isOwner && <AgentForm key={agent.id} agent={agent} />}
            </>
          )}
        </ReadingPage>
      </main>
    </div>
  );
}
