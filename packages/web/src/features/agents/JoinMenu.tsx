import type { Project } from '@aizuchi/shared/contract/project';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Menu, MenuItem } from '../../components/Menu.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { useErrorText } from '../../lib/error-text.ts';
import { keys } from '../../lib/queries/keys.ts';
import { projectsQuery } from '../../lib/queries/queries.ts';
import { toast } from '../../lib/toast.ts';

interface JoinMenuProps {
  readonly agentId: string;
  readonly joined: readonly Pick<Project, 'id'>[];
}

/** The projects that the agent is not in yet. */
export function JoinMenu({ agentId, joined }: JoinMenuProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const errorText = useErrorText();
  const { data = [] } = useQuery(projectsQuery());
  const join = useMutation({
    mutationFn: (pid: string) => callApi('addMember', { params: { pid, aid: agentId } }),
    onSuccess: (_member, pid) => client.invalidateQueries({ queryKey: keys.members(pid) }),
    onError: (error) => toast.error(errorText(error)),
  });
  const others = data.filter(
    ({ id, status }) => status !== 'archived' && joined.every((one) => one.id !== id),
  );
  if (others.length === 0) return null;
  return (
    <Menu
      label={t('agentPage.joins')}
      trigger={
        <Button size="sm" icon="plus" isBusy={join.isPending} data-testid="agent-join">
          {t('agentPage.join')}
        </Button>
      }
    >
      {others.map(({ id, name }) => (
        <MenuItem key={id} icon="board" testId={`agent-join-${id}`} onSelect={() => join.mutate(id)}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
