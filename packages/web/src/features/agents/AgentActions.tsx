import type { Agent } from '@aizuchi/shared/contract/agent';
import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { Project } from '@aizuchi/shared/contract/project';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass, IconButton } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Menu, MenuItem } from '../../components/Menu.tsx';
import { useErrorText } from '../../lib/error-text.ts';
import { toast } from '../../lib/toast.ts';
import { DeleteAgentDialog } from '../settings/agents/DeleteAgentDialog.tsx';
import { useRestart } from '../settings/agents/use-restart.ts';

interface ActionProps {
  readonly agent: Agent;
  readonly projects: readonly Project[];
}

/** To the chat; with several projects a menu asks in which one. */
export function ChatButton({ agent, projects }: ActionProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [only, ...others] = projects;
  if (!only) return null;
  if (others.length === 0)
    return (
      <Link
        to="/projects/$projectId"
        params={{ projectId: only.id }}
        search={{ agent: agent.id }}
        data-testid="agent-chat"
        className={buttonClass()}
      >
        <Icon name="comment" size={14} />
        {t('agentPage.chat')}
      </Link>
    );
  return (
    <Menu
      label={t('agentPage.chatWhere')}
      trigger={
        <Button icon="comment" data-testid="agent-chat">
          {t('agentPage.chat')}
          <Icon name="chevronDown" size={12} />
        </Button>
      }
    >
      {projects.map(({ id, name }) => (
        <MenuItem
          key={id}
          icon="board"
          onSelect={() =>
            void navigate({
              to: '/projects/$projectId',
              params: { projectId: id },
              search: { agent: agent.id },
            })
          }
        >
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}

interface RestartButtonProps extends ActionProps {
  /** By project id. */
  readonly sessions: ReadonlyMap<string, AgentSessionView | undefined>;
}

/** Shown while the agent runs somewhere. */
export function RestartButton({ agent, projects, sessions }: RestartButtonProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const running = projects.filter(({ id }) => (sessions.get(id)?.chat ?? 0) > 0);
  const restart = useRestart(agent.id, running);
  if (running.length === 0) return null;
  return (
    <Button
      icon="retry"
      isBusy={restart.isPending}
      data-testid="agent-restart-all"
      onClick={() => restart.mutate(undefined, { onError: (error) => toast.error(errorText(error)) })}
    >
      {t('agentPage.restart')}
    </Button>
  );
}

export function AgentMenu({ agent }: { readonly agent: Agent }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [isDeleting, setIsDeleting] = useState(false);
  return (
    <>
      <Menu
        trigger={
          <IconButton
            icon="more"
            variant="default"
            size="md"
            label={t('agentPage.more')}
            data-testid="agent-menu"
          />
        }
      >
        <MenuItem
          icon="people"
          onSelect={() => void navigate({ to: '/settings/$section', params: { section: 'agents' } })}
        >
          {t('agentPage.toAgents')}
        </MenuItem>
        <MenuItem icon="trash" isDanger testId="agent-delete" onSelect={() => setIsDeleting(true)}>
          {t('agentPage.delete')}
        </MenuItem>
      </Menu>
      {isDeleting && (
        <DeleteAgentDialog
          agent={agent}
          onClose={() => setIsDeleting(false)}
          onDeleted={() => void navigate({ to: '/settings/$section', params: { section: 'agents' } })}
        />
      )}
    </>
  );
}
