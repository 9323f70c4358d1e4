import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { agentsQuery, projectQuery } from '../../lib/queries/queries.ts';
import { useNameOf } from '../../lib/queries/use-name-of.ts';

/** Shows the project after the product's name, or the name of a page that belongs to no project. */
export function Breadcrumb() {
  const { t } = useTranslation();
  const { projectId, agentId } = useParams({ strict: false });
  const { pathname } = useLocation();
  if (projectId !== undefined) return <ProjectCrumb projectId={projectId} />;
  if (agentId !== undefined && pathname.startsWith('/memory')) return <MemoryCrumb agentId={agentId} />;
  if (agentId !== undefined) return <AgentCrumb agentId={agentId} />;
  if (pathname.startsWith('/inbox')) return <Crumb>{t('app.inbox')}</Crumb>;
  if (pathname.startsWith('/settings')) return <Crumb>{t('app.settings')}</Crumb>;
  return <Crumb>{t('projects.title')}</Crumb>;
}

function ProjectCrumb({ projectId }: { readonly projectId: string }) {
  const { data: project } = useQuery(projectQuery(projectId));
  return <Crumb>{project?.name ?? projectId}</Crumb>;
}

/** An agent or a person, below the list of them. */
function AgentCrumb({ agentId }: { readonly agentId: string }) {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  const { data: agents = [] } = useQuery(agentsQuery());
  const section = agents.find(({ id }) => id === agentId)?.type === 'human' ? 'people' : 'agents';
  return (
    <>
      <span className="flex min-w-0 items-center max-sm:hidden">
        <Crumb>
          <Link
            to="/settings/$section"
            params={{ section }}
            className="font-normal text-ink-2 hover:text-ink"
          >
            {t(`app.settingsSection.${section}`)}
          </Link>
        </Crumb>
      </span>
      <Crumb>{nameOf(agentId)}</Crumb>
    </>
  );
}

/** A memory, below the agent that it belongs to. */
function MemoryCrumb({ agentId }: { readonly agentId: string }) {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  return (
    <>
      <Crumb>
        <Link to="/agents/$agentId" params={{ agentId }} className="font-normal text-ink-2 hover:text-ink">
          {nameOf(agentId)}
        </Link>
      </Crumb>
      <span className="flex flex-none items-center max-sm:hidden">
        <Crumb>{t('app.memory')}</Crumb>
      </span>
    </>
  );
}

function Crumb({ children }: { readonly children: ReactNode }) {
  return (
    <span className="-ml-2 flex min-w-0 items-center gap-2 font-medium">
      <Icon name="chevronRight" size={12} className="text-ink-3" />
      <span className="min-w-0 truncate">{children}</span>
    </span>
  );
}
