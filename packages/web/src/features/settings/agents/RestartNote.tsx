import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { toast } from 'sonner';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { joined } from '../../../lib/joined.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { useProjectsOf, useSessionsOf } from './agent-queries.ts';

interface RestartNoteProps {
  readonly agentId: string;
  readonly onDone: () => void;
}

/** A running agent still uses its old configuration: offers a restart, during which messages are kept. */
export function RestartNote({ agentId, onDone }: RestartNoteProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { projects } = useProjectsOf(agentId);
  const sessions = useSessionsOf(
    agentId,
    projects.map(({ id }) => id),
  );
  const running = projects.filter(({ id }) => (sessions.get(id)?.chat ?? 0) > 0);
  const restart = useMutation({
    mutationFn: () =>
      Promise.all(running.map(({ id }) => callApi('newChat', { params: { pid: id, aid: agentId } }))),
    onSuccess: async () => {
      onDone();
      toast.success(t('settings.restarting'));
      await Promise.all(
        running.map(({ id }) => client.invalidateQueries({ queryKey: keys.agentSessions(id) })),
      );
    },
  });
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
          onClick={() => restart.mutate()}
        >
          {t('settings.restart')}
        </Button>
      </div>
    </div>
  );
}
