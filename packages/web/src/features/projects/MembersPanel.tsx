import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { IconButton } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Panel } from '../../components/Panel.tsx';
import { joined } from '../../lib/joined.ts';
import { agentSessionsQuery, membersQuery, meQuery } from '../../lib/queries/queries.ts';
import { ringOf, useStateSentence } from '../presence/presence.ts';
import { AddMemberMenu } from './AddMemberMenu.tsx';
import { useRemoveMember } from './use-members.ts';

interface MembersPanelProps {
  readonly projectId: string;
  readonly type: Agent['type'];
  readonly canChange: boolean;
}

export function MembersPanel({ projectId, type, canChange }: MembersPanelProps) {
  const { t } = useTranslation();
  const { data: members, error } = useQuery(membersQuery(projectId));
  const [leaving, setLeaving] = useState<Agent>();
  const remove = useRemoveMember(projectId);
  const ofType = members?.filter((member) => member.type === type) ?? [];
  const isAgents = type === 'ai';
  return (
    <Panel
      title={t(isAgents ? 'projects.agents' : 'projects.people')}
      aside={canChange && <AddMemberMenu projectId={projectId} type={type} members={members ?? []} />}
    >
      {error && <ErrorNote error={error} className="m-3" />}
      {members && ofType.length === 0 && (
        <div className="px-4 py-3 text-13 text-ink-2">
          {isAgents && <p className="font-semibold text-ink">{t('projects.noAgentsTitle')}</p>}
          <p>{t(isAgents ? 'projects.noAgentsText' : 'projects.noPeople')}</p>
        </div>
      )}
      {ofType.map((member) => (
        <MemberRow
          key={member.id}
          projectId={projectId}
          member={member}
          {...(canChange && { onRemove: () => setLeaving(member) })}
        />
      ))}
      {leaving && (
        <ConfirmDialog
          open
          onOpenChange={(open) => {
            if (open) return;
            remove.reset();
            setLeaving(undefined);
          }}
          title={t('projects.removeTitle', { name: leaving.name })}
          confirmLabel={t('common.remove')}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(leaving.id, { onSuccess: () => setLeaving(undefined) })}
        >
          <p>{t(isAgents ? 'projects.removeAgentText' : 'projects.removePersonText')}</p>
          {remove.error && <ErrorNote error={remove.error} className="mt-3" />}
        </ConfirmDialog>
      )}
    </Panel>
  );
}

interface MemberRowProps {
  readonly projectId: string;
  readonly member: Agent;
  readonly onRemove?: () => void;
}

function MemberRow({ projectId, member, onRemove }: MemberRowProps) {
  const { t } = useTranslation();
  const sentence = useStateSentence();
  const { data: me } = useQuery(meQuery());
  const { data: sessions = {} } = useQuery(agentSessionsQuery(projectId));
  const isAgent = member.type === 'ai';
  const second = isAgent
    ? [t(`projects.provider.${member.provider ?? 'builtin'}`), member.role, sentence(sessions[member.id])]
    : [t(`app.accessLevel.${member.accessLevel ?? 'viewer'}`), member.role];
  return (
    <div data-testid={`member-${member.id}`} className="flex min-h-14 items-center gap-4 py-2 pr-2 pl-4">
      <Avatar
        name={member.name}
        type={member.type}
        size={28}
        {...(isAgent && { state: ringOf(sessions[member.id]) })}
      />
      <div className="min-w-0 flex-1">
        <p className="truncate text-13 font-medium">
          <Link to="/agents/$agentId" params={{ agentId: member.id }} className="hover:underline">
            {member.name}
          </Link>
          {member.id === me?.id && <span className="font-normal text-ink-3"> · {t('projects.you')}</span>}
        </p>
        <p className="truncate text-12 text-ink-2">{joined(second)}</p>
      </div>
      {onRemove && (
        <IconButton
          icon="close"
          label={t('projects.removeNamed', { name: member.name })}
          onClick={onRemove}
        />
      )}
    </div>
  );
}
