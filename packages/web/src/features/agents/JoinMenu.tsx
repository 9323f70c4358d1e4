import type { Project } from '@aizuchi/shared/contract/project';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Menu, MenuItem } from '../../components/Menu.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { useErrorText } from '../../lib/error-text.ts';
import { keys } from '../../lib/queries/keys.ts';
import { toast } from '../../lib/toast.ts';

interface JoinMenuProps {
  readonly agentId: string;
  /** The projects that it is not in yet. */
  readonly others: readonly Project[];
}

/** Adds the agent to a project. */
export function JoinMenu({ agentId, others }: JoinMenuProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const errorText = useErrorText();
  const join = useMutation({
    mutationFn: (pid: string) => callApi('addMember', { params: { pid, aid: agentId } }),
    onSuccess: (_member, pid) => client.invalidateQueries({ queryKey: keys.members(pid) }),
    onError: (error) => toast.error(errorText(error)),
  });
  const open = others.filter(({ status }) => status !== 'archived');
  if (open.length === 0) return null;
  return (
    <Menu
      label={t('agentPage.joins')}
      trigger={
        <Button size="sm" icon="plus" isBusy={join.isPending} data-testid="agent-join">
          {t('agentPage.join')}
        </Button>
      }
    >
      {open.map(({ id, name }) => (
        <MenuItem key={id} icon="board" testId={`agent-join-${id}`} onSelect={() => join.mutate(id)}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
