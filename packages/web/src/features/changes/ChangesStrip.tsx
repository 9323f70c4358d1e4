import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { useBesideChat } from '../../lib/hooks/use-beside-chat.ts';
import { joined } from '../../lib/joined.ts';
import { undecidedRunsQuery } from './use-changes.ts';

/** In a chat: the agent changed files that nobody has kept or discarded. */
export function ChangesStrip({
  projectId,
  agentId,
}: {
  readonly projectId: string;
  readonly agentId: string;
}) {
  const { t } = useTranslation();
  const besideChat = useBesideChat();
  const { data: runs = [] } = useQuery(undecidedRunsQuery(projectId, agentId));
  const run = runs.find(({ changes }) => (changes?.fileCount ?? 0) > 0) ?? runs[0];
  if (run?.changes === undefined) return null;
  const { fileCount } = run.changes;
  const others = runs.length - 1;
  return (
    <div
      data-testid="chat-changes"
      className="num flex min-h-8 flex-none items-center gap-2 border-b border-line bg-canvas px-4.5 py-1 text-12 text-ink-2"
    >
      <Icon name="file" size={14} />
      <span className="min-w-0 flex-1 truncate">
        {joined([
          fileCount > 0 ? t('changes.changed', { count: fileCount }) : t('changes.ownWorktree'),
          others > 0 && t('changes.others', { count: others }),
        ])}
      </span>
      <Link
        to="/projects/$projectId/runs/$runId/changes"
        params={{ projectId, runId: run.id }}
        search={besideChat({ agent: agentId })}
        className="font-medium text-accent-ink"
      >
        {t('changes.review')}
      </Link>
    </div>
  );
}
