import type { Agent } from '@aizuchi/shared/contract/agent';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { ringOf, useStateSentence } from '../../presence/presence.ts';
import { useProjectsOf, useSessionsOf } from './agent-queries.ts';

interface AgentProjectsProps {
  readonly agent: Agent;
  readonly aside?: ReactNode;
}

/** The projects of an agent or person, for an agent with its session. A click on an agent's project opens the chat. */
export function AgentProjects({ agent, aside }: AgentProjectsProps) {
  const { t } = useTranslation();
  const sentence = useStateSentence();
  const { projects, isLoading, error } = useProjectsOf(agent.id);
  const isAgent = agent.type === 'ai';
  const sessions = useSessionsOf(agent.id, isAgent ? projects.map(({ id }) => id) : []);
  return (
    <Panel title={t('projects.title')} aside={aside}>
      {error && <ErrorNote error={error} className="m-3" />}
      {projects.length === 0 && !isLoading && (
        <p className="px-4 py-3 text-13 text-ink-2">{t('settings.inNoProject')}</p>
      )}
      {projects.map((project) => {
        const session = sessions.get(project.id);
        return (
          <Link
            key={project.id}
            to="/projects/$projectId"
            params={{ projectId: project.id }}
            search={isAgent ? { agent: agent.id } : {}}
            data-testid={`agent-in-${project.id}`}
            data-state={ringOf(session)}
            className="flex min-h-12 items-center gap-4 px-4 py-2 first:rounded-t-md last:rounded-b-md hover:bg-hover focus-visible:-outline-offset-2"
          >
            <Avatar
              name={agent.name}
              type={agent.type}
              size={20}
              {...(isAgent && { state: ringOf(session) })}
            />
            <div className="min-w-0 flex-1">
              <p className="truncate text-13 font-medium">{project.name}</p>
              {isAgent && <p className="truncate text-12 text-ink-2">{sentence(session)}</p>}
            </div>
            <Icon name="chevronRight" size={12} className="text-ink-3" />
          </Link>
        );
      })}
    </Panel>
  );
}
