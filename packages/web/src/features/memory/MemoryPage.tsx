import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { NotFoundPage } from '../../app/NotFoundPage.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { PhaseLine } from '../../components/Spinner.tsx';
import { isCode } from '../../lib/api/api-error.ts';
import { meQuery } from '../../lib/queries/queries.ts';
import { agentQuery, useProjectsOf } from '../settings/agents/agent-queries.ts';
import { MemoryColumns } from './MemoryColumns.tsx';
import { MemoryHead } from './overview/MemoryHead.tsx';
import { MemorySearch } from './search/MemorySearch.tsx';

const route = getRouteApi('/signed-in/memory/$agentId');

/** /memory/:agentId: what an agent remembers, how it came to it, and what of it is to be corrected or forgotten. */
export function MemoryPage() {
  const { t } = useTranslation();
  const { agentId } = route.useParams();
  const { data: agent, error, refetch } = useQuery(agentQuery(agentId));
  const { data: me, error: meError, refetch: askMe } = useQuery(meQuery());
  if (isCode(error, 'agent_not_found') || agent?.type === 'human') return <NotFoundPage />;
  if (agent && me) return <OneMemory key={agent.id} agent={agent} isOwner={me.accessLevel === 'owner'} />;
  const failed = error ?? meError;
  return (
    <main id="content" className="p-6">
      <h1 className="sr-only">{t('app.memory')}</h1>
      {failed ? (
        <ErrorNote error={failed} onRetry={() => void (error ? refetch() : askMe())} />
      ) : (
        <PhaseLine>{t('common.loading')}</PhaseLine>
      )}
    </main>
  );
}

/** Owners see all of it first; others see one of their projects at a time. */
function OneMemory({ agent, isOwner }: { readonly agent: Agent; readonly isOwner: boolean }) {
  const { t } = useTranslation();
  const { project } = route.useSearch();
  const { projects, isLoading, error } = useProjectsOf(agent.id);
  const projectId = project ?? (isOwner ? undefined : projects[0]?.id);
  if (projectId === undefined && !isOwner)
    return (
      <main id="content" className="p-6">
        <h1 className="sr-only">{t('app.memory')}</h1>
        {error && <ErrorNote error={error} />}
        {!error && isLoading && <PhaseLine>{t('common.loading')}</PhaseLine>}
        {!error && !isLoading && (
          <EmptyState icon="book" title={t('memoryPage.noProjectTitle')}>
            {t('memoryPage.noProject')}
          </EmptyState>
        )}
      </main>
    );
  const part = { agentId: agent.id, projectId };
  return (
    <main id="content" className="flex h-full min-h-0 flex-col overflow-y-auto">
      <MemoryHead agent={agent} part={part} projects={projects} isOwner={isOwner} />
      <MemorySearch key={`search ${projectId ?? ''}`} part={part} />
      <MemoryColumns key={projectId ?? ''} part={part} projects={projects} />
    </main>
  );
}
