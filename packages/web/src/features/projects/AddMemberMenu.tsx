import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { Button } from '../../components/Button.tsx';
import { Menu, MenuItem } from '../../components/Menu.tsx';
import { withNewAgent } from '../../lib/chat-search.ts';
import { useErrorText } from '../../lib/error-text.ts';
import { lateComponent } from '../../lib/late-component.ts';
import { agentsQuery, meQuery } from '../../lib/queries/queries.ts';
import { toast } from '../../lib/toast.ts';
import { useAddMember } from './use-members.ts';

const CreatePersonDialog = lateComponent(
  async () => (await import('../settings/people/CreatePersonDialog.tsx')).CreatePersonDialog,
);

interface AddMemberMenuProps {
  readonly projectId: string;
  readonly type: Agent['type'];
  readonly members: readonly Agent[];
}

/** The agents or people who are not in the project yet, and a new one. Only owners make people. */
export function AddMemberMenu({ projectId, type, members }: AddMemberMenuProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const errorText = useErrorText();
  const { data: agents = [] } = useQuery(agentsQuery());
  const { data: me } = useQuery(meQuery());
  const add = useAddMember(projectId);
  const [isCreating, setIsCreating] = useState(false);
  const canCreate = me?.accessLevel === 'owner';
  const join = (id: string) => add.mutate(id, { onError: (error) => toast.error(errorText(error)) });
  const present = new Set(members.map((member) => member.id));
  const others = agents.filter((agent) => agent.type === type && !present.has(agent.id));
  const menu = (
    <Menu
      trigger={
        <Button size="sm" icon="plus" isBusy={add.isPending} data-testid={`member-add-${type}`}>
          {t(type === 'ai' ? 'projects.addAgent' : 'projects.addPerson')}
        </Button>
      }
      {...(others.length === 0 && type === 'human' && !canCreate && { label: t('projects.nobodyToAdd') })}
    >
      {others.map((agent) => (
        <MenuItem key={agent.id} testId={`member-add-${agent.id}`} onSelect={() => join(agent.id)}>
          <Avatar name={agent.name} type={agent.type} size={20} />
          {agent.name}
        </MenuItem>
      ))}
      {type === 'ai' && (
        <MenuItem
          icon="plus"
          testId="member-new-ai"
          onSelect={() => void navigate({ to: '.', search: withNewAgent })}
        >
          {t('projects.newAgent')}
        </MenuItem>
      )}
      {type === 'human' && canCreate && (
        <MenuItem icon="plus" testId="member-new-human" onSelect={() => setIsCreating(true)}>
          {t('projects.newPerson')}
        </MenuItem>
      )}
    </Menu>
  );
  return (
    <>
      {menu}
      {isCreating && (
        <CreatePersonDialog onClose={() => setIsCreating(false)} onCreated={({ id }) => join(id)} />
      )}
    </>
  );
}
