import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { initialOf } from '../../../components/initial.ts';
import { useHasAttention } from '../../../lib/hooks/use-has-attention.ts';
import { useRoving } from '../../../lib/hooks/use-roving.ts';
import { RINGS } from '../presence.ts';
import { agentsIn, mostTelling, unreadIn } from './overview.ts';
import { overviewQuery } from './overview-query.ts';
import { UnreadBadge } from './UnreadBadge.tsx';

const MAX_AGENTS = 30;
const ROW =
  'flex h-8 items-center gap-2 rounded-md px-2 text-13 hover:bg-hover focus-visible:-outline-offset-2 aria-[current=true]:bg-hover aria-[current=true]:font-medium';

/** Beside every page: all projects and their agents, with what is unread and what they do. */
export function Switcher() {
  const { t } = useTranslation();
  const { data: overview } = useQuery(overviewQuery());
  const { projectId: openId } = useParams({ strict: false });
  const { agent: openAgent } = useSearch({ strict: false });
  const hasAttention = useHasAttention();
  const roving = useRoving('down');
  if (!overview) return null;
  const agents = mostTelling(overview.agents, MAX_AGENTS);
  return (
    <nav
      {...roving}
      aria-label={`${t('projects.title')}, ${t('agents.list')}`}
      data-testid="switcher"
      className="flex h-full flex-col gap-4 overflow-y-auto p-2"
    >
      <Group title={t('projects.title')}>
        {overview.projects.map(({ id, name, status }) => (
          <Link
            key={id}
            to="/projects/$projectId"
            params={{ projectId: id }}
            aria-current={id === openId ? 'true' : undefined}
            data-testid={`switcher-project-${id}`}
            className={ROW}
          >
            <span
              aria-hidden="true"
              className="flex size-5 flex-none items-center justify-center rounded-sm border border-line-strong text-[10px] font-medium"
            >
              {initialOf(name)}
            </span>
            <span className="min-w-0 flex-1 truncate">{name}</span>
            {status === 'paused' && <span className="text-11 text-ink-2">{t('projects.status.paused')}</span>}
            <UnreadBadge count={unreadIn(agentsIn(overview, id))} />
          </Link>
        ))}
      </Group>
      {agents.length > 0 && (
        <Group title={t('agents.list')}>
          {agents.map(({ projectId, agentId, name, state, unread }) => {
            const isOpen = projectId === openId && agentId === openAgent;
            return (
              <Link
                key={`${projectId} ${agentId}`}
                to="/projects/$projectId"
                params={{ projectId }}
                search={{ agent: agentId }}
                aria-current={isOpen ? 'true' : undefined}
                data-testid={`switcher-agent-${agentId}`}
                className={ROW}
              >
                <Avatar name={name} type="ai" size={20} state={RINGS[state]} />
                <span className="min-w-0 flex-1 truncate">{name}</span>
                <span className="flex-none text-11 text-ink-2">{t(`agents.state.${state}`)}</span>
                {/* What the person looks at is being read. */}
                <UnreadBadge count={isOpen && hasAttention ? 0 : unread} />
              </Link>
            );
          })}
        </Group>
      )}
    </nav>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <h2 className="flex h-7 items-center px-2 text-11 font-medium text-ink-2">{title}</h2>
      {children}
    </div>
  );
}
