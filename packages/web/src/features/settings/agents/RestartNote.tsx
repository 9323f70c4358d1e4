import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { joined } from '../../../lib/joined.ts';
import { recentRunsQuery } from '../../agents/recent-runs-query.ts';
import { useProjectsOf, useSessionsOf } from './agent-queries.ts';
import { startedBefore } from './started-before.ts';
import { useRestart } from './use-restart.ts';

/** A running agent still uses its old configuration: offers a restart, during which messages are kept. */
export function RestartNote({ agent: { id: agentId, setUpAt } }: { readonly agent: Agent }) {
  const { t } = useTranslation();
  const { projects } = useProjectsOf(agentId);
  const sessions = useSessionsOf(
    agentId,
    projects.map(({ id }) => id),
  );
  const runs = useQueries({ queries: projects.map(({ id }) => recentRunsQuery(id, agentId)) });
  const running = projects.filter(
    ({ id }, index) =>
      (sessions.get(id)?.chat ?? 0) > 0 && startedBefore(runs[index]?.data?.runs ?? [], setUpAt),
  );
  const restart = useRestart(agentId, running);
  // What was asked to end may need a moment; a further change makes a note of its own.
  if (running.length === 0 || restart.isSuccess) return null;
  return (
    <div
      role="status"
      data-testid="agent-restart-note"
      className="flex items-start gap-2 rounded-md border border-amber-line bg-amber-soft px-3 py-2 text-13 text-amber-ink"
    >
      <Icon name="retry" className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <p>
          {t('settings.oldStart', {
            projects: joined(
              running.map(({ name }) => name),
              ', ',
            ),
          })}
        </p>
        {restart.error && <ErrorNote error={restart.error} className="mt-2" />}
        <Button
          size="sm"
          className="mt-2"
          isBusy={restart.isPending}
          data-testid="agent-restart"
          onClick={() => restart.mutate()}
        >
          {t('settings.restart')}
        </Button>
      </div>
    </div>
  );
}
