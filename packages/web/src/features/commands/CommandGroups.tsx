import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { withChat, withNewAgent } from '../../lib/chat-search.ts';
import { changeLocale, toLocale } from '../../lib/i18n.ts';
import {
  agentSessionsQuery,
  agentsQuery,
  membersQuery,
  meQuery,
  projectQuery,
  projectsQuery,
} from '../../lib/queries/queries.ts';
import { setTheme, theme } from '../../lib/theme.ts';
import { ringOf } from '../presence/presence.ts';
import { Group, Item } from './CommandItems.tsx';
import { isKeySheetOpen } from './menu-store.ts';
import { useInProject } from './use-in-project.ts';

/** The pages of the open project. */
const PROJECT_PAGES = [
  { to: '/projects/$projectId', icon: 'board', name: 'app.tabBoard' },
  { to: '/projects/$projectId/conversations', icon: 'talk', name: 'app.tabConversations' },
  { to: '/projects/$projectId/runs', icon: 'terminal', name: 'app.tabRuns' },
  { to: '/projects/$projectId/schedules', icon: 'calendar', name: 'app.tabSchedules' },
  { to: '/projects/$projectId/usage', icon: 'chart', name: 'app.tabUsage' },
] as const;

/** What can be done from here. */
export function ActionCommands({ projectId, run }: GroupProps & { readonly projectId: string | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery());
  const { data: project } = useQuery({ ...projectQuery(projectId ?? ''), enabled: projectId !== undefined });
  const canWrite = me !== undefined && me.accessLevel !== 'viewer' && project?.status !== 'archived';
  return (
    <Group heading={t('commands.actions')}>
      {projectId !== undefined && canWrite && (
        <Item
          icon="plus"
          value={`${t('board.newTask')} new task`}
          onSelect={run(() =>
            navigate({ to: '/projects/$projectId', params: { projectId }, search: { add: 'task' } }),
          )}
        >
          {t('board.newTask')}
        </Item>
      )}
      {me?.accessLevel === 'owner' && (
        <Item
          icon="plus"
          value={`${t('projects.create')} new project`}
          onSelect={run(() => navigate({ to: '/projects', search: { add: 'project' } }))}
        >
          {t('projects.create')}
        </Item>
      )}
      <Item
        icon="info"
        value={`${t('commands.keys')} keys shortcuts`}
        onSelect={run(() => isKeySheetOpen.set(true))}
      >
        {t('commands.keys')}
      </Item>
    </Group>
  );
}

/** The agents of all projects; those of the open one are above, with their chats. */
export function OtherAgentCommands({
  projectId,
  run,
}: GroupProps & { readonly projectId: string | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: agents = [] } = useQuery(agentsQuery());
  const { data: members = [] } = useQuery({
    ...membersQuery(projectId ?? ''),
    enabled: projectId !== undefined,
  });
  const others = agents.filter(
    ({ id, type }) => type === 'ai' && !members.some((member) => member.id === id),
  );
  if (others.length === 0) return null;
  return (
    <Group heading={t(projectId === undefined ? 'commands.agents' : 'commands.otherAgents')}>
      {others.map(({ id, name }) => (
        <Item
          key={id}
          value={`${name} ${id}`}
          before={<Avatar name={name} type="ai" size={16} />}
          onSelect={run(() => navigate({ to: '/agents/$agentId', params: { agentId: id } }))}
        >
          {name}
        </Item>
      ))}
    </Group>
  );
}

interface GroupProps {
  /** Closes the menu, then acts. */
  readonly run: (action: () => unknown) => () => void;
}

export function AgentCommands({ projectId, run }: GroupProps & { readonly projectId: string }) {
  const { t } = useTranslation();
  const inProject = useInProject(projectId);
  const { data: members = [] } = useQuery(membersQuery(projectId));
  const { data: sessions = {} } = useQuery(agentSessionsQuery(projectId));
  const { data: me } = useQuery(meQuery());
  const { data: project } = useQuery(projectQuery(projectId));
  const agents = members.filter((member) => member.type === 'ai');
  const canAdd = me?.accessLevel === 'owner' && project !== undefined && project.status !== 'archived';
  if (agents.length === 0 && !canAdd) return null;
  return (
    <Group heading={t('commands.chatWith')}>
      {agents.map((agent) => (
        <Item
          key={agent.id}
          value={`${agent.name} ${agent.id}`}
          before={<Avatar name={agent.name} type="ai" size={16} state={ringOf(sessions[agent.id])} />}
          onSelect={run(() => inProject((search) => withChat(search, agent.id)))}
        >
          {agent.name}
        </Item>
      ))}
      {canAdd && (
        <Item icon="plus" onSelect={run(() => inProject(withNewAgent))}>
          {t('projects.newAgent')}
        </Item>
      )}
    </Group>
  );
}

export function ProjectCommands({ run }: GroupProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: projects = [] } = useQuery(projectsQuery());
  return (
    <Group heading={t('projects.title')}>
      {projects.map((project) => (
        <Item
          key={project.id}
          value={`${project.name} ${project.id}`}
          icon="board"
          onSelect={run(() => navigate({ to: '/projects/$projectId', params: { projectId: project.id } }))}
        >
          {project.name}
        </Item>
      ))}
    </Group>
  );
}

export function PageCommands({ projectId, run }: GroupProps & { readonly projectId: string | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Group heading={t('commands.goTo')}>
      {projectId !== undefined &&
        PROJECT_PAGES.map(({ to, icon, name }) => (
          <Item key={to} icon={icon} onSelect={run(() => navigate({ to, params: { projectId } }))}>
            {t(name)}
          </Item>
        ))}
      <Item icon="inbox" onSelect={run(() => navigate({ to: '/inbox' }))}>
        {t('app.inbox')}
      </Item>
      <Item icon="folder" onSelect={run(() => navigate({ to: '/projects' }))}>
        {t('projects.title')}
      </Item>
      <Item icon="gear" onSelect={run(() => navigate({ to: '/settings' }))}>
        {t('app.settings')}
      </Item>
    </Group>
  );
}

/** For somebody who looks for it: a page for each agent. */
export function MemoryCommands({ run }: GroupProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: agents = [] } = useQuery(agentsQuery());
  return (
    <Group heading={t('app.memory')}>
      {agents
        .filter(({ type }) => type === 'ai')
        .map(({ id, name }, index) => (
          <Item
            key={id}
            // Unlike the agent itself it is not found by its id.
            value={`${t('memoryPage.title', { name })} ${index}`}
            icon="book"
            onSelect={run(() => navigate({ to: '/memory/$agentId', params: { agentId: id } }))}
          >
            {t('memoryPage.title', { name })}
          </Item>
        ))}
    </Group>
  );
}

export function ViewCommands({ run }: GroupProps) {
  const { t, i18n } = useTranslation();
  return (
    <Group heading={t('commands.view')}>
      <Item icon="theme" onSelect={run(() => setTheme(theme.get() === 'dark' ? 'light' : 'dark'))}>
        {t('app.theme')}
      </Item>
      <Item icon="comment" onSelect={run(() => changeLocale(toLocale(i18n.language) === 'ja' ? 'en' : 'ja'))}>
        {t('app.language')}
      </Item>
    </Group>
  );
}
