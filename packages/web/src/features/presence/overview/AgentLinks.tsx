import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { useRoving } from '../../../lib/hooks/use-roving.ts';
import { RINGS } from '../presence.ts';
import { mostTelling, type OverviewAgent } from './overview.ts';
import { UnreadBadge } from './UnreadBadge.tsx';

interface AgentLinksProps {
  readonly agents: readonly OverviewAgent[];
  readonly label: string;
  readonly most?: number;
  /** The state stands under each avatar, as on a phone. */
  readonly hasWords?: boolean;
}

/** The agents of projects that are not open; a click opens the chat. */
export function AgentLinks({ agents, label, most = 12, hasWords = false }: AgentLinksProps) {
  const { t } = useTranslation();
  const { ref, ...roving } = useRoving();
  if (agents.length === 0) return null;
  return (
    // Not a landmark: there is one for each project.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
    <div
      {...roving}
      ref={(element) => {
        ref.current = element;
      }}
      role="group"
      aria-label={label}
      className="relative flex flex-none gap-1 overflow-x-auto p-1"
    >
      {mostTelling(agents, most).map(({ projectId, agentId, name, state, unread }) => (
        <Link
          key={`${projectId} ${agentId}`}
          to="/projects/$projectId"
          params={{ projectId }}
          search={{ agent: agentId }}
          title={name}
          data-testid={`overview-agent-${agentId}`}
          className="relative flex flex-none flex-col items-center gap-1.5 rounded-md p-1.5 text-11 text-ink-2 hover:bg-hover"
        >
          <span className="sr-only">{t('agents.open', { name, state: t(`agents.state.${state}`) })}</span>
          <Avatar name={name} type="ai" size={hasWords ? 32 : 24} state={RINGS[state]} />
          {hasWords && <span className="max-w-16 truncate">{t(`agents.state.${state}`)}</span>}
          <span className="absolute top-0 right-0">
            <UnreadBadge count={unread} />
          </span>
        </Link>
      ))}
    </div>
  );
}
