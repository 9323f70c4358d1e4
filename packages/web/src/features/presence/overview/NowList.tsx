import type { Overview } from '@aizuchi/shared/contract/chat';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { Time } from '../../../components/Time.tsx';
import { RINGS } from '../presence.ts';
import { NOW_TONES } from './NowLine.tsx';
import { nowOf, type OverviewAgent } from './overview.ts';
import { UnreadBadge } from './UnreadBadge.tsx';

/** What happens now, in all projects: who waits for the person, has failed, works, and waits for its turn. */
export function NowList({ overview }: { readonly overview: Overview }) {
  const { t } = useTranslation();
  const agents = nowOf(overview.agents);
  if (agents.length === 0) return null;
  const projects = new Map(overview.projects.map(({ id, name }) => [id, name]));
  return (
    <div data-testid="now-list">
      <Panel title={t('projects.now')}>
        {agents.map((agent) => (
          <NowRow
            key={`${agent.projectId} ${agent.agentId}`}
            agent={agent}
            projectName={projects.get(agent.projectId) ?? agent.projectId}
          />
        ))}
      </Panel>
    </div>
  );
}

interface NowRowProps {
  readonly agent: OverviewAgent;
  readonly projectName: string;
}

function NowRow({ agent: { projectId, agentId, name, state, since, unread }, projectName }: NowRowProps) {
  const { t } = useTranslation();
  return (
    <Link
      to="/projects/$projectId"
      params={{ projectId }}
      search={{ agent: agentId }}
      data-testid={`now-${agentId}`}
      data-state={state}
      className="flex min-h-14 items-center gap-3 px-4 py-2 -outline-offset-2 first:rounded-t-md last:rounded-b-md hover:bg-hover"
    >
      <Avatar name={name} type="ai" size={32} state={RINGS[state]} />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          <UnreadBadge count={unread} />
        </span>
        <span className="block truncate text-12 text-ink-2">{projectName}</span>
      </span>
      <span className="num flex flex-none flex-col items-end text-12">
        <span className={NOW_TONES[state]}>{t(`agents.state.${state}`)}</span>
        <Time at={since} className="text-ink-2" />
      </span>
    </Link>
  );
}
