import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { changeLocale, toLocale } from '../../lib/i18n.ts';
import { agentSessionsQuery, membersQuery, projectsQuery } from '../../lib/queries/queries.ts';
import { setTheme, theme } from '../../lib/theme.ts';
import { useOpener } from '../../lib/use-opener.ts';
import { ringOf } from '../presence/presence.ts';
import { Group, Item } from './CommandItems.tsx';
import { TaskCommands } from './TaskCommands.tsx';

/** Of the open project. */
const PAGES = [
  { to: '/projects/$projectId', icon: 'board', name: 'app.tabBoard' },
  { to: '/projects/$projectId/conversations', icon: 'talk', name: 'app.tabConversations' },
  { to: '/projects/$projectId/runs', icon: 'terminal', name: 'app.tabRuns' },
  { to: '/projects/$projectId/schedules', icon: 'calendar', name: 'app.tabSchedules' },
] as const;

interface CommandMenuProps {
  readonly onClose: () => void;
}

/** Ctrl/Cmd+K: projects, the agents and tasks of the open one, pages and switches. */
export function CommandMenu({ onClose }: CommandMenuProps) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const giveFocusBack = useOpener(true);
  const { projectId } = useParams({ strict: false });
  const { data: projects = [] } = useQuery(projectsQuery());
  const [words, setWords] = useState('');
  const run = (action: () => unknown) => () => {
    onClose();
    action();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-ink/25 dark:bg-sunken/70" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={giveFocusBack}
          data-testid="command-menu"
          className="fixed top-[12dvh] left-1/2 z-50 w-[calc(100%-32px)] max-w-[520px] -translate-x-1/2 rounded-md border border-line-strong bg-surface"
        >
          <Dialog.Title className="sr-only">{t('commands.title')}</Dialog.Title>
          <Command label={t('commands.title')} loop>
            <Command.Input
              value={words}
              onValueChange={setWords}
              placeholder={t('commands.placeholder')}
              className="h-11 w-full border-b border-line bg-transparent px-4 text-14 outline-none"
            />
            <Command.List className="max-h-[50dvh] overflow-y-auto p-1">
              <Command.Empty className="px-3 py-4 text-13 text-ink-2">{t('commands.nothing')}</Command.Empty>
              {projectId !== undefined && (
                <>
                  <AgentCommands projectId={projectId} run={run} />
                  <TaskCommands projectId={projectId} words={words} run={run} />
                </>
              )}
              <Group heading={t('projects.title')}>
                {projects.map((project) => (
                  <Item
                    key={project.id}
                    value={`${project.name} ${project.id}`}
                    icon="board"
                    onSelect={run(() =>
                      navigate({ to: '/projects/$projectId', params: { projectId: project.id } }),
                    )}
                  >
                    {project.name}
                  </Item>
                ))}
              </Group>
              <Group heading={t('commands.goTo')}>
                {projectId !== undefined &&
                  PAGES.map(({ to, icon, name }) => (
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
              <Group heading={t('commands.view')}>
                <Item icon="theme" onSelect={run(() => setTheme(theme.get() === 'dark' ? 'light' : 'dark'))}>
                  {t('app.theme')}
                </Item>
                <Item
                  icon="comment"
                  onSelect={run(() => changeLocale(toLocale(i18n.language) === 'ja' ? 'en' : 'ja'))}
                >
                  {t('app.language')}
                </Item>
              </Group>
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface AgentCommandsProps {
  readonly projectId: string;
  readonly run: (action: () => unknown) => () => void;
}

function AgentCommands({ projectId, run }: AgentCommandsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: members = [] } = useQuery(membersQuery(projectId));
  const { data: sessions = {} } = useQuery(agentSessionsQuery(projectId));
  const agents = members.filter((member) => member.type === 'ai');
  if (agents.length === 0) return null;
  return (
    <Group heading={t('commands.chatWith')}>
      {agents.map((agent) => (
        <Item
          key={agent.id}
          value={`${agent.name} ${agent.id}`}
          before={<Avatar name={agent.name} type="ai" size={16} state={ringOf(sessions[agent.id])} />}
          onSelect={run(() =>
            navigate({
              to: '.',
              search: ({ agent: _agent, message: _message, question: _question, ...search }) => ({
                ...search,
                agent: agent.id,
              }),
            }),
          )}
        >
          {agent.name}
        </Item>
      ))}
    </Group>
  );
}
