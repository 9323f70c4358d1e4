import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Project } from '@aizuchi/shared/contract/project';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { Button } from '../../../components/Button.tsx';
import { Select } from '../../../components/Field.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { PersonDataButton } from '../people/PersonData.tsx';
import { indexingQuery, type MemoryPart, useFollowMemory } from '../use-memory.ts';
import { JobList } from './JobList.tsx';
import { Mood } from './Mood.tsx';

interface MemoryHeadProps {
  readonly agent: Agent;
  readonly part: MemoryPart;
  /** Those of the agent that the reader sees. */
  readonly projects: readonly Project[];
  readonly isOwner: boolean;
}

/** Whose memory it is, which part of it is shown, and what still has to be worked on. */
export function MemoryHead({ agent, part, projects, isOwner }: MemoryHeadProps) {
  const { t } = useTranslation();
  const [areJobsOpen, setAreJobsOpen] = useState(false);
  const { data: indexing } = useQuery(indexingQuery(part));
  useFollowMemory(part, indexing);
  const waiting = indexing?.pendingJobs ?? 0;
  const failed = indexing?.failedJobs ?? 0;
  return (
    <>
      <header className="flex flex-none flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-3 md:px-5">
        <Avatar name={agent.name} type="ai" size={32} />
        <div className="min-w-0">
          <h1 className="truncate text-16 leading-5 font-semibold">
            {t('memoryPage.title', { name: agent.name })}
          </h1>
          <p className="num text-12 text-ink-2" data-testid="memory-waiting">
            {indexing &&
              (waiting > 0 ? t('memoryPage.waiting', { count: waiting }) : t('memoryPage.nothingWaits'))}
          </p>
        </div>
        <div className="flex min-w-0 flex-1 flex-wrap items-center justify-end gap-x-4 gap-y-2 max-sm:basis-full">
          <span className="max-sm:w-full">
            <Mood part={part} />
          </span>
          <div className="flex min-w-0 items-center gap-2 max-sm:w-full">
            {(waiting > 0 || failed > 0) && (
              <Button
                size="sm"
                variant={failed > 0 ? 'danger' : 'default'}
                aria-expanded={areJobsOpen}
                data-testid="memory-jobs-open"
                onClick={() => setAreJobsOpen(!areJobsOpen)}
              >
                {failed > 0 && <Icon name="warning" size={14} />}
                {failed > 0 ? t('memoryPage.failedJobs', { count: failed }) : t('memoryPage.jobs')}
              </Button>
            )}
            <ProjectFilter part={part} projects={projects} isOwner={isOwner} />
            {isOwner && <PersonDataButton agent={agent} />}
          </div>
        </div>
      </header>
      {areJobsOpen && indexing && <JobList part={part} indexing={indexing} />}
    </>
  );
}

function ProjectFilter({ part, projects, isOwner }: Pick<MemoryHeadProps, 'part' | 'projects' | 'isOwner'>) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/memory/$agentId' });
  const { projectId } = part;
  const isUnknown = projectId !== undefined && !projects.some(({ id }) => id === projectId);
  return (
    <Select
      aria-label={t('memoryPage.project')}
      data-testid="memory-project"
      value={projectId ?? ''}
      className="max-sm:flex-1 sm:w-auto sm:max-w-64"
      onChange={({ target: { value } }) =>
        void navigate({
          to: '.',
          search: ({ project: _project, ...search }) => ({
            ...search,
            ...(value !== '' && { project: value }),
          }),
        })
      }
    >
      {isOwner && <option value="">{t('memoryPage.allProjects')}</option>}
      {isUnknown && <option value={projectId}>{projectId}</option>}
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}
