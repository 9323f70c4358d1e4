import type { Project } from '@aizuchi/shared/contract/project';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Panel, ReadingPage } from '../../components/Panel.tsx';
import { PhaseLine } from '../../components/Spinner.tsx';
import { Time } from '../../components/Time.tsx';
import { useIsNarrow } from '../../lib/hooks/use-media-query.ts';
import { meQuery, projectsQuery } from '../../lib/queries/queries.ts';
import { whenLoaded } from '../../lib/queries/when-loaded.ts';
import { AgentLinks } from '../presence/overview/AgentLinks.tsx';
import { NowLine } from '../presence/overview/NowLine.tsx';
import { NowList } from '../presence/overview/NowList.tsx';
import { agentsIn, type OverviewAgent, unreadIn } from '../presence/overview/overview.ts';
import { overviewQuery } from '../presence/overview/overview-query.ts';
import { UnreadBadge } from '../presence/overview/UnreadBadge.tsx';
import { CreateProjectDialog } from './lazy-create-project.ts';
import { StatusChip } from './StatusChip.tsx';

const route = getRouteApi('/signed-in/projects');

export function ProjectsPage() {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { data: projects, error, refetch } = useQuery(projectsQuery());
  const { data: overview, isPending, errorUpdateCount } = useQuery(overviewQuery());
  // A read that has failed is asked again, and pending again each time. One that hangs must not hide the projects.
  const [hasWaited, setHasWaited] = useState(false);
  const isOverviewAwaited = isPending && errorUpdateCount === 0 && !hasWaited;
  const isNarrow = useIsNarrow();
  const { add } = route.useSearch();
  const navigate = route.useNavigate();
  const [isPressed, setIsPressed] = useState(false);
  const setIsCreating = (isOpen: boolean) => {
    setIsPressed(isOpen);
    if (add !== undefined) void navigate({ to: '.', search: {}, replace: true });
  };
  useEffect(
    () =>
      whenLoaded(() => {
        setHasWaited(true);
        void CreateProjectDialog.preload?.();
      }),
    [],
  );
  const isOwner = me?.accessLevel === 'owner';
  const createButton = isOwner && (
    <Button variant="primary" icon="plus" data-testid="project-new" onClick={() => setIsCreating(true)}>
      {t('projects.create')}
    </Button>
  );
  return (
    <main id="content" className="h-full">
      <ReadingPage title={t('projects.title')} aside={projects?.length !== 0 && createButton}>
        {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
        {!projects && !error && <PhaseLine>{t('common.loading')}</PhaseLine>}
        {projects?.length === 0 && (
          <EmptyState icon="board" title={t('projects.emptyTitle')} action={createButton}>
            {t(isOwner ? 'projects.emptyText' : 'projects.emptyTextMember')}
          </EmptyState>
        )}
        {isNarrow && <AgentLinks agents={overview?.agents ?? []} label={t('agents.list')} hasWords />}
        {overview && <NowList overview={overview} />}
        {/* Below what happens now, which would push it down. */}
        {projects && projects.length > 0 && !isOverviewAwaited && (
          <Panel>
            {projects.map((project) => (
              <ProjectRow
                key={project.id}
                project={project}
                agents={agentsIn(overview, project.id)}
                hasAvatars={!isNarrow}
              />
            ))}
          </Panel>
        )}
      </ReadingPage>
      {isOwner && (isPressed || add === 'project') && (
        <Suspense fallback={null}>
          <CreateProjectDialog open onOpenChange={setIsCreating} />
        </Suspense>
      )}
    </main>
  );
}

interface ProjectRowProps {
  readonly project: Project;
  readonly agents: readonly OverviewAgent[];
  readonly hasAvatars: boolean;
}

function ProjectRow({ project, agents, hasAvatars }: ProjectRowProps) {
  const { t } = useTranslation();
  return (
    <div className="relative flex min-h-14 items-center gap-3 px-4 py-2 first:rounded-t-md last:rounded-b-md hover:bg-hover">
      <Link
        to="/projects/$projectId"
        params={{ projectId: project.id }}
        data-testid={`project-${project.id}`}
        className="min-w-0 flex-1 after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
      >
        <p className="flex items-center gap-2">
          <span className="truncate font-medium">{project.name}</span>
          <UnreadBadge count={unreadIn(agents)} />
          {project.status !== 'active' && <StatusChip status={project.status} />}
        </p>
        <p className="truncate text-12 text-ink-2" title={project.workingDirectory}>
          {project.description ?? <span className="font-mono text-11">{project.workingDirectory}</span>}
        </p>
        <NowLine agents={agents} />
      </Link>
      {hasAvatars && <AgentLinks agents={agents} label={`${t('agents.list')}: ${project.name}`} most={4} />}
      <span className="flex-none text-12 text-ink-3 max-sm:hidden">
        {t('projects.updated')}
        <Time at={project.updatedAt} />
      </span>
      <Icon name="chevronRight" size={12} className="text-ink-3" />
    </div>
  );
}
