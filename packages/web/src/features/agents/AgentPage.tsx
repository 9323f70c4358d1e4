import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { NotFoundPage } from '../../app/NotFoundPage.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { PhaseLine } from '../../components/Spinner.tsx';
import { isCode } from '../../lib/api/api-error.ts';
import { meQuery } from '../../lib/queries/queries.ts';
import { AgentProjects } from '../settings/agents/AgentProjects.tsx';
import { agentQuery, useProjectsOf, useSessionsOf } from '../settings/agents/agent-queries.ts';
import { PersonPage } from '../settings/people/PersonPage.tsx';
import { AgentHead } from './AgentHead.tsx';
import { HelloPanel } from './hello/HelloPanel.tsx';
import { JoinMenu } from './JoinMenu.tsx';
import { RecentRuns } from './RecentRuns.tsx';
import { SetUp } from './setup/SetUp.tsx';
import { AgentUsagePanel } from './usage/AgentUsagePanel.tsx';

const route = getRouteApi('/signed-in/agents/$agentId');

/** /agents/:id, for agents and people. */
export function AgentPage() {
  const { t } = useTranslation();
  const { agentId } = route.useParams();
  const { data: agent, error, refetch } = useQuery(agentQuery(agentId));
  if (!agent && isCode(error, 'agent_not_found')) return <NotFoundPage />;
  if (!agent)
    return (
      <main id="content" className="p-6">
        <h1 className="sr-only">{agentId}</h1>
        {error ? (
          <ErrorNote error={error} onRetry={() => void refetch()} />
        ) : (
          <PhaseLine>{t('common.loading')}</PhaseLine>
        )}
      </main>
    );
  return agent.type === 'human' ? <PersonPage person={agent} /> : <OneAgent key={agent.id} agent={agent} />;
}

/** Set-up on the left, evidence on the right. Who may not change it sees the evidence only. */
function OneAgent({ agent }: { readonly agent: Agent }) {
  const { data: me } = useQuery(meQuery());
  const { projects, others } = useProjectsOf(agent.id);
  const sessions = useSessionsOf(
    agent.id,
    projects.map(({ id }) => id),
  );
  const isOwner = me?.accessLevel === 'owner';
  const canWrite = me !== undefined && me.accessLevel !== 'viewer';
  const open = projects.filter(({ status }) => status !== 'archived');
  return (
    <main id="content" className="h-full">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard, also when nothing in it can be used.
        tabIndex={0}
        className="h-full overflow-y-auto -outline-offset-2"
      >
        <div className="mx-auto flex max-w-[1384px] flex-col gap-4 px-4 pt-4 pb-6 md:px-8">
          <AgentHead
            agent={agent}
            projects={projects}
            sessions={sessions}
            isOwner={isOwner}
            canWrite={canWrite}
          />
          <div className="grid items-start gap-x-8 gap-y-5 md:grid-cols-[minmax(0,7fr)_minmax(0,5.5fr)]">
            {isOwner && (
              <div className="flex min-w-0 flex-col gap-5">
                <SetUp agent={agent} />
              </div>
            )}
            <div className="flex min-w-0 flex-col gap-5 max-md:order-first">
              {canWrite && open.length > 0 && <HelloPanel agent={agent} projects={open} />}
              <AgentUsagePanel agent={agent} />
              <RecentRuns
                agentId={agent.id}
                projects={projects}
                isWarmIn={(projectId) => sessions.get(projectId)?.chatStatus === 'ready'}
              />
              <AgentProjects
                agent={agent}
                aside={isOwner && <JoinMenu agentId={agent.id} others={others} />}
              />
            </div>
          </div>
        </div>
      </section>
    </main>
  );
}
