import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { buttonClass } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Icon } from '../../components/Icon.tsx';
import { withChat, withNewAgent } from '../../lib/chat-search.ts';
import { joined } from '../../lib/joined.ts';
import { agentsQuery, membersQuery, meQuery, projectQuery } from '../../lib/queries/queries.ts';
import { useAddMember } from './use-members.ts';

const ROW =
  'flex w-full items-center gap-4 px-3 py-2 text-left first:rounded-t-md last:rounded-b-md hover:bg-hover focus-visible:-outline-offset-2';

/** In place of the chat: a project without agents offers the existing ones. */
export function NoAgentsColumn({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const { data: agents = [], isPending } = useQuery(agentsQuery());
  const add = useAddMember(projectId);
  const navigate = useNavigate();
  const needsAgent = useNeedsAgent(projectId);
  // What failed is shown above the list.
  const addAndOpen = async (agentId: string) => {
    await add.mutateAsync(agentId).then(
      () => navigate({ to: '.', search: (search) => withChat(search, agentId) }),
      () => undefined,
    );
  };
  if (!needsAgent) return null;
  return (
    <aside
      aria-label={t('projects.agents')}
      className="flex w-[376px] flex-none flex-col gap-4 overflow-y-auto border-l border-line bg-surface p-5 max-md:w-[280px] max-sm:hidden"
    >
      <EmptyState icon="people" title={t('projects.noAgentsTitle')}>
        {t('projects.noAgentsText')}
      </EmptyState>
      {add.error && <ErrorNote error={add.error} />}
      {/* Not before the agents are known: a press on the last row would meet one of them. */}
      {!isPending && (
        <div className="divide-y divide-line rounded-md border border-line">
          {agents
            .filter((agent) => agent.type === 'ai')
            .map((agent) => (
              <AgentRow key={agent.id} agent={agent} onAdd={() => void addAndOpen(agent.id)} />
            ))}
          <Link to="." search={withNewAgent} data-testid="project-new-agent" className={ROW}>
            <span className="grid size-7 flex-none place-items-center rounded-full bg-hover">
              <Icon name="terminal" size={14} />
            </span>
            <span className="min-w-0 flex-1">
              <span className="block text-13 font-medium">{t('projects.newAgent')}</span>
              <span className="block text-12 text-ink-2">{t('projects.newAgentKinds')}</span>
            </span>
            <Icon name="chevronRight" size={12} className="text-ink-3" />
          </Link>
        </div>
      )}
    </aside>
  );
}

/** The same on a phone, where the column does not fit: a button that adds a new one. */
export function NoAgentsLink({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const needsAgent = useNeedsAgent(projectId);
  if (!needsAgent) return null;
  return (
    <Link to="." search={withNewAgent} className={buttonClass({ size: 'sm' })}>
      <Icon name="plus" size={14} />
      {t('projects.addAgent')}
    </Link>
  );
}

function useNeedsAgent(projectId: string): boolean {
  const { data: me } = useQuery(meQuery());
  const { data: members } = useQuery(membersQuery(projectId));
  const { data: project } = useQuery(projectQuery(projectId));
  const hasAgent = members?.some((member) => member.type === 'ai') ?? true;
  return !hasAgent && me?.accessLevel === 'owner' && project !== undefined && project.status !== 'archived';
}

function AgentRow({ agent, onAdd }: { readonly agent: Agent; readonly onAdd: () => void }) {
  const { t } = useTranslation();
  const kind = t(`projects.provider.${agent.provider ?? 'builtin'}`);
  return (
    <button type="button" onClick={onAdd} data-testid={`offer-${agent.id}`} className={ROW}>
      <Avatar name={agent.name} type="ai" size={28} state="none" />
      <span className="min-w-0 flex-1">
        <span className="block truncate text-13 font-medium">{agent.name}</span>
        <span className="block truncate text-12 text-ink-2">{joined([kind, agent.role])}</span>
      </span>
      <Icon name="plus" size={14} />
    </button>
  );
}
