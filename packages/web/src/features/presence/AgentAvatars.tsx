import type { Agent } from '@aizuchi/shared/contract/agent';
import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { Button, buttonClass } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Menu, MenuItem } from '../../components/Menu.tsx';
import { Tooltip } from '../../components/Tooltip.tsx';
import { withChat, withNewAgent, withoutChat } from '../../lib/chat-search.ts';
import { useHasAttention } from '../../lib/hooks/use-has-attention.ts';
import { useIsNarrow, useIsWide } from '../../lib/hooks/use-media-query.ts';
import { useRoving } from '../../lib/hooks/use-roving.ts';
import { joined } from '../../lib/joined.ts';
import {
  agentSessionsQuery,
  membersQuery,
  meQuery,
  projectQuery,
  unreadQuery,
} from '../../lib/queries/queries.ts';
import { ringOf, useStateSentence, useStateWord } from './presence.ts';
import { shownAgents } from './shown-agents.ts';
import { useWarmOnHover } from './use-warm-on-hover.ts';

/** On a phone the avatars share their line with the buttons of the page. */
const SHOWN = { narrow: 2, medium: 4, roomy: 8 } as const;

/** The project's agents and their states; a click opens the chat, a second one closes it. */
export function AgentAvatars({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const { data: members = [] } = useQuery(membersQuery(projectId));
  const { data: sessions = {} } = useQuery(agentSessionsQuery(projectId));
  const { data: unread = {} } = useQuery(unreadQuery(projectId));
  const { agent: openId } = useSearch({ strict: false });
  const isNarrow = useIsNarrow();
  const isRoomy = useIsWide();
  const agents = members.filter((member) => member.type === 'ai');
  const most = SHOWN[isNarrow ? 'narrow' : isRoomy ? 'roomy' : 'medium'];
  const roving = useRoving();
  const hasAttention = useHasAttention();
  const { shown, rest } = shownAgents(agents, most, openId, ({ id }) => ringOf(sessions[id]));
  if (agents.length === 0) return null;
  return (
    <nav {...roving} aria-label={t('agents.list')} className="flex items-center gap-2 px-1">
      {shown.map((agent) => (
        <AgentAvatar
          key={agent.id}
          projectId={projectId}
          agent={agent}
          session={sessions[agent.id]}
          // What the person looks at is being read.
          unread={agent.id === openId && hasAttention ? 0 : (unread[agent.id] ?? 0)}
          isOpen={agent.id === openId}
        />
      ))}
      {rest.length > 0 && <MoreAgents agents={rest} sessions={sessions} />}
      <AddAgentLink projectId={projectId} />
    </nav>
  );
}

/** For owners: adds an agent where one stands. */
function AddAgentLink({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { data: project } = useQuery(projectQuery(projectId));
  // Its place is kept also where it is not shown: what stands beside it must not move away from under a pointer.
  if (me?.accessLevel !== 'owner' || !project || project.status === 'archived')
    return <span className="w-6 flex-none pointer-coarse:min-w-9" />;
  return (
    <Link
      to="."
      search={withNewAgent}
      aria-label={t('projects.addAgent')}
      title={t('projects.addAgent')}
      data-testid="project-add-agent"
      className={buttonClass({ variant: 'quiet', size: 'sm', isSquare: true })}
    >
      <Icon name="plus" size={14} />
    </Link>
  );
}

interface MoreAgentsProps {
  readonly agents: readonly Agent[];
  readonly sessions: Readonly<Record<string, AgentSessionView>>;
}

/** The agents for which there is no room, in a menu. */
function MoreAgents({ agents, sessions }: MoreAgentsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const openChat = (agentId: string) =>
    void navigate({
      to: '.',
      search: (search) => withChat(search, agentId),
    });
  return (
    <Menu
      trigger={
        <Button variant="quiet" size="sm" aria-label={t('agents.more', { count: agents.length })}>
          +{agents.length}
        </Button>
      }
    >
      {agents.map(({ id, name }) => (
        <MenuItem key={id} testId={`agent-avatar-${id}`} onSelect={() => openChat(id)}>
          <Avatar name={name} type="ai" size={20} state={ringOf(sessions[id])} className="mx-1" />
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}

interface AgentAvatarProps {
  readonly projectId: string;
  readonly agent: Agent;
  readonly session: AgentSessionView | undefined;
  readonly unread: number;
  readonly isOpen: boolean;
}

function AgentAvatar({ projectId, agent, session, unread, isOpen }: AgentAvatarProps) {
  const { t } = useTranslation();
  const warming = useWarmOnHover(projectId, agent.id, session);
  const word = useStateWord();
  const sentence = useStateSentence();
  const name = t('agents.open', { name: agent.name, state: word(session) });
  const unreadText = unread > 0 ? t('agents.unread', { count: unread }) : undefined;
  return (
    <Tooltip text={joined([agent.name, sentence(session), unreadText])}>
      <Link
        {...warming}
        to="."
        search={(search) => (isOpen ? withoutChat(search) : withChat(search, agent.id))}
        aria-label={unreadText === undefined ? name : `${name}, ${unreadText}`}
        aria-current={isOpen ? 'true' : undefined}
        data-testid={`agent-avatar-${agent.id}`}
        data-agent={agent.id}
        data-state={ringOf(session)}
        className={clsx(
          'relative flex rounded-full p-1 after:absolute after:inset-x-1 after:-bottom-2 after:h-0.5 after:bg-accent pointer-coarse:p-1.5',
          !isOpen && 'after:hidden',
        )}
      >
        <Avatar name={agent.name} type="ai" state={ringOf(session)} />
        {unread > 0 && (
          <span className="absolute top-0 right-0 size-2 rounded-full border border-surface bg-accent" />
        )}
      </Link>
    </Tooltip>
  );
}
