import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { NotFoundPage } from '../../app/NotFoundPage.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TabBar, TabLink } from '../../components/Tabs.tsx';
import { isCode } from '../../lib/api/api-error.ts';
import { useLiveProject } from '../../lib/live/live.tsx';
import { projectQuery } from '../../lib/queries/queries.ts';
import { useIsNarrow } from '../../lib/use-media-query.ts';
import { AgentAvatars } from '../presence/AgentAvatars.tsx';
import { ChatColumn } from './ChatColumn.tsx';
import { NoAgentsColumn, NoAgentsLink } from './NoAgentsColumn.tsx';
import { StatusStrip } from './StatusStrip.tsx';
import { TranscriptFaultNote } from './TranscriptFaultNote.tsx';
import { ToolsProvider, ToolsTarget } from './tab-tools.tsx';

const route = getRouteApi('/signed-in/projects/$projectId');

/** Tabs, the tab's page, and the chat as third column. */
export function ProjectFrame() {
  const { t } = useTranslation();
  const { projectId } = route.useParams();
  const { agent } = route.useSearch();
  const isNarrow = useIsNarrow();
  const { error, data: project, refetch } = useQuery(projectQuery(projectId));
  useLiveProject(projectId);
  if (!project && isCode(error, 'project_not_found')) return <NotFoundPage />;
  return (
    <ToolsProvider>
      <div className="flex h-full flex-col">
        <TabBar label={t('app.tabs')} tools={!isNarrow && <ToolsTarget />}>
          <TabLink
            to="/projects/$projectId"
            params={{ projectId }}
            search={keepChat}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {t('app.tabBoard')}
          </TabLink>
          <TabLink
            to="/projects/$projectId/conversations"
            params={{ projectId }}
            search={keepChat}
            activeOptions={{ includeSearch: false }}
          >
            {t('app.tabConversations')}
          </TabLink>
          <TabLink
            to="/projects/$projectId/runs"
            params={{ projectId }}
            search={keepChat}
            activeOptions={{ includeSearch: false }}
          >
            {t('app.tabRuns')}
          </TabLink>
          <TabLink
            to="/projects/$projectId/schedules"
            params={{ projectId }}
            search={keepChat}
            activeOptions={{ includeSearch: false }}
          >
            {t('app.tabSchedules')}
          </TabLink>
          <TabLink
            to="/projects/$projectId/settings"
            params={{ projectId }}
            search={keepChat}
            activeOptions={{ includeSearch: false }}
          >
            {t('app.tabSettings')}
          </TabLink>
        </TabBar>
        <div className="flex min-h-0 flex-1">
          <main id="content" className="flex min-h-0 min-w-0 flex-1 flex-col">
            {isNarrow && (
              <div className="flex flex-none items-center justify-between gap-2 px-3 pt-3 not-has-[nav,button,a]:hidden">
                <AgentAvatars projectId={projectId} />
                <NoAgentsLink projectId={projectId} />
                <ToolsTarget />
              </div>
            )}
            {project && project.status !== 'active' && <StatusStrip project={project} />}
            {error && <ErrorNote error={error} onRetry={() => void refetch()} className="m-4" />}
            {project?.chatLogFault !== undefined && <TranscriptFaultNote fault={project.chatLogFault} />}
            <div className="min-h-0 flex-1">
              <Outlet />
            </div>
          </main>
          <ChatColumn projectId={projectId} />
          {agent === undefined && <NoAgentsColumn projectId={projectId} />}
        </div>
      </div>
    </ToolsProvider>
  );
}

const keepChat = ({ agent }: { agent?: string }) => (agent === undefined ? {} : { agent });
