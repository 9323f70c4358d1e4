import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import clsx from 'clsx';
import { NotFoundPage } from '../../app/NotFoundPage.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { isCode } from '../../lib/api/api-error.ts';
import { useIsNarrow } from '../../lib/hooks/use-media-query.ts';
import { useLiveProject } from '../../lib/live/live.tsx';
import { projectQuery } from '../../lib/queries/queries.ts';
import { AgentAvatars } from '../presence/AgentAvatars.tsx';
import { AddAgentHere } from './AddAgentHere.tsx';
import { ChatColumn } from './ChatColumn.tsx';
import { NoAgentsColumn, NoAgentsLink } from './NoAgentsColumn.tsx';
import { ProjectTabs } from './ProjectTabs.tsx';
import { StatusStrip } from './StatusStrip.tsx';
import { TranscriptFaultNote } from './TranscriptFaultNote.tsx';
import { ToolsProvider, ToolsTarget } from './tab-tools.tsx';

const route = getRouteApi('/signed-in/projects/$projectId');

/** The frame of all pages of a project: tabs, the tab's page, and the chat as third column. */
export function ProjectFrame() {
  const { projectId } = route.useParams();
  const { agent, task } = route.useSearch();
  const isNarrow = useIsNarrow();
  const { error, data: project, refetch } = useQuery(projectQuery(projectId));
  useLiveProject(projectId);
  if (!project && isCode(error, 'project_not_found')) return <NotFoundPage />;
  return (
    <ToolsProvider>
      <div className="flex h-full flex-col">
        <ProjectTabs projectId={projectId} tools={!isNarrow && <ToolsTarget />} />
        <div className="flex min-h-0 flex-1">
          <main id="content" className="flex min-h-0 min-w-0 flex-1 flex-col">
            {isNarrow && (
              <div className="flex flex-none flex-wrap items-center justify-between gap-2 px-3 pt-3 not-has-[nav,button,a]:hidden">
                <AgentAvatars projectId={projectId} />
                <NoAgentsLink projectId={projectId} />
                <ToolsTarget />
              </div>
            )}
            {project && project.status !== 'active' && <StatusStrip project={project} />}
            {error && <ErrorNote error={error} onRetry={() => void refetch()} className="m-4" />}
            {project?.chatLogFault !== undefined && <TranscriptFaultNote fault={project.chatLogFault} />}
            {/* What is said above it is known with the project: seen before that, it would jump. It takes the focus. */}
            <div className={clsx('min-h-0 flex-1', !project && !error && 'pointer-events-none opacity-0')}>
              <Outlet />
            </div>
          </main>
          <ChatColumn projectId={projectId} />
          {agent === undefined && task === undefined && <NoAgentsColumn projectId={projectId} />}
        </div>
        {project && <AddAgentHere project={project} />}
      </div>
    </ToolsProvider>
  );
}
