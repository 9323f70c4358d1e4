import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { joined } from '../../../lib/joined.ts';
import { useProjectsOf, useSessionsOf } from './agent-queries.ts';
import { useRestart } from './use-restart.ts';

interface RestartNoteProps {
  readonly agentId: string;
  readonly onDone: () => void;
}

/** A running agent still uses its old configuration: offers a restart, during which messages are kept. */
export function RestartNote({ agentId, onDone }: RestartNoteProps) {
  const { t } = useTranslation();
  const { projects } = useProjectsOf(agentId);
  const sessions = useSessionsOf(
    agentId,
    projects.map(({ id }) => id),
  );
  const running = projects.filter(({ id }) => (sessions.get(id)?.chat ?? 0) > 0);
  const restart = useRestart(agentId, running);
  if (running.length === 0) return null;
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
          onClick={() => restart.mutate(undefined, { onSuccess: onDone })}
        >
          {t('settings.restart')}
        </Button>
      </div>
    </div>
  );
}
