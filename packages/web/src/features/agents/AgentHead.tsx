import type { Agent } from '@aizuchi/shared/contract/agent';
import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { Project } from '@aizuchi/shared/contract/project';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { buttonClass } from '../../components/Button.tsx';
import { Chip } from '../../components/Chip.tsx';
import { Icon } from '../../components/Icon.tsx';
import { joined } from '../../lib/joined.ts';
import { ringOf, useStateSentence } from '../presence/presence.ts';
import { AgentMenu, ChatButton, RestartButton } from './AgentActions.tsx';
import { tellingSession } from './agent-state.ts';

interface AgentHeadProps {
  readonly agent: Agent;
  readonly projects: readonly Project[];
  /** By project id. */
  readonly sessions: ReadonlyMap<string, AgentSessionView | undefined>;
  readonly isOwner: boolean;
  readonly canWrite: boolean;
}

/** Who it is, how it is, and what can be done with it. */
export function AgentHead({ agent, projects, sessions, isOwner, canWrite }: AgentHeadProps) {
  const { t } = useTranslation();
  const sentence = useStateSentence();
  const session = tellingSession(sessions.values());
  const ring = ringOf(session);
  return (
    <header className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-2">
      <Avatar name={agent.name} type="ai" size={32} state={ring} className="mx-1" />
      <div className="min-w-0">
        <h1 className="truncate text-16 leading-5 font-semibold">{agent.name}</h1>
        <p className="num text-12 text-ink-2" data-testid="agent-state" data-state={ring}>
          <span className={clsx(ring === 'failed' && 'font-medium text-red-ink')}>{sentence(session)}</span>
          {agent.role !== undefined && ` · ${agent.role}`}
        </p>
      </div>
      {!agent.hasCredential && <Chip tone="amber">{t('settings.noPasskey')}</Chip>}
      {agent.labels.map((label) => (
        <Chip key={label}>{label}</Chip>
      ))}
      <div className="ml-auto flex flex-wrap items-center gap-2">
        <span className="mr-1 max-w-72 truncate text-12 text-ink-3 max-md:hidden">
          {joined(
            projects.map(({ name }) => name),
            ', ',
          )}
        </span>
        <Link
          to="/memory/$agentId"
          params={{ agentId: agent.id }}
          data-testid="agent-memory"
          className={buttonClass()}
        >
          <Icon name="book" size={14} />
          {t('app.memory')}
        </Link>
        <ChatButton agent={agent} projects={projects} />
        {canWrite && <RestartButton agent={agent} projects={projects} sessions={sessions} />}
        {isOwner && <AgentMenu agent={agent} />}
      </div>
    </header>
  );
}
