import type { AccessLevel, Agent } from '@aizuchi/shared/contract/agent';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { Button, IconButton } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Select } from '../../../components/Field.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../components/Menu.tsx';
import { Panel, ReadingPage } from '../../../components/Panel.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { agentsQuery, meQuery } from '../../../lib/queries/queries.ts';
import { DeleteAgentDialog } from '../agents/DeleteAgentDialog.tsx';
import { ResetPasskeyDialog } from '../agents/ResetPasskeyDialog.tsx';
import { ACCESS_LEVELS, toAccessLevel } from './access-levels.ts';
import { CreatePersonDialog } from './CreatePersonDialog.tsx';
import { InviteDialog } from './InviteDialog.tsx';

/** The people who can sign in, and their access levels. Owners can change them. */
export function PeopleSection() {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { data: agents, error, refetch } = useQuery(agentsQuery());
  const [isCreating, setIsCreating] = useState(false);
  const isOwner = me?.accessLevel === 'owner';
  return (
    <ReadingPage
      title={t('app.settingsSection.people')}
      aside={
        isOwner && (
          <Button variant="primary" icon="plus" data-testid="person-new" onClick={() => setIsCreating(true)}>
            {t('settings.addPerson')}
          </Button>
        )
      }
    >
      <p className="-mt-4 text-13 text-pretty text-ink-2">
        {t(isOwner ? 'settings.peopleIntro' : 'settings.peopleIntroMember')}
      </p>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!agents && !error && <PhaseLine>{t('common.loading')}</PhaseLine>}
      {agents && (
        <Panel>
          {agents
            .filter((agent) => agent.type === 'human')
            .map((person) => (
              <PersonRow key={person.id} person={person} isMe={person.id === me?.id} canChange={isOwner} />
            ))}
        </Panel>
      )}
      {isCreating && <CreatePersonDialog onClose={() => setIsCreating(false)} />}
    </ReadingPage>
  );
}

interface PersonRowProps {
  readonly person: Agent;
  readonly isMe: boolean;
  readonly canChange: boolean;
}

function PersonRow({ person, isMe, canChange }: PersonRowProps) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<PersonAction>();
  const change = useChangeLevel(person.id);
  const level = person.accessLevel ?? 'viewer';
  const close = () => setAsked(undefined);
  return (
    <div data-testid={`person-${person.id}`} className="flex flex-col gap-2 py-2 pr-2 pl-4">
      <div className="flex min-h-10 items-center gap-3">
        <Avatar name={person.name} type="human" size={28} />
        <div className="min-w-0 flex-1">
          <p className="truncate text-13 font-medium">
            {person.name}
            {isMe && <span className="font-normal text-ink-3"> · {t('projects.you')}</span>}
          </p>
          <p className="truncate text-12 text-ink-2">
            <span className="font-mono text-11">{person.id}</span>
            {!person.hasCredential && ` · ${t('settings.noPasskey')}`}
          </p>
        </div>
        {canChange ? (
          <>
            <LevelSelect
              person={person}
              level={change.isPending ? change.variables : level}
              onChange={change.mutate}
            />
            <PersonMenu person={person} onAsk={setAsked} />
          </>
        ) : (
          <span className="px-2 text-12 text-ink-2">{t(`app.accessLevel.${level}`)}</span>
        )}
      </div>
      {change.error && <ErrorNote error={change.error} className="mr-2" />}
      {asked === 'invite' && <InviteDialog person={person} onClose={close} />}
      {asked === 'passkey' && <ResetPasskeyDialog agent={person} onClose={close} />}
      {asked === 'remove' && <DeleteAgentDialog agent={person} onClose={close} onDeleted={close} />}
    </div>
  );
}

interface LevelSelectProps {
  readonly person: Agent;
  readonly level: AccessLevel;
  readonly onChange: (level: AccessLevel) => void;
}

function LevelSelect({ person, level, onChange }: LevelSelectProps) {
  const { t } = useTranslation();
  return (
    <span className="flex-none">
      <Select
        aria-label={t('settings.levelOf', { name: person.name })}
        data-testid={`person-level-${person.id}`}
        value={level}
        onChange={(event) => onChange(toAccessLevel(event.target.value))}
      >
        {ACCESS_LEVELS.map((one) => (
          <option key={one} value={one}>
            {t(`app.accessLevel.${one}`)}
          </option>
        ))}
      </Select>
    </span>
  );
}

type PersonAction = 'invite' | 'passkey' | 'remove';

interface PersonMenuProps {
  readonly person: Agent;
  readonly onAsk: (action: PersonAction) => void;
}

function PersonMenu({ person: { id, name }, onAsk }: PersonMenuProps) {
  const { t } = useTranslation();
  return (
    <Menu trigger={<IconButton icon="more" label={t('settings.more', { name })} />}>
      <MenuItem icon="link" testId={`person-invite-${id}`} onSelect={() => onAsk('invite')}>
        {t('settings.invite')}
      </MenuItem>
      <MenuItem icon="key" testId={`person-passkey-${id}`} onSelect={() => onAsk('passkey')}>
        {t('settings.resetPasskey')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon="trash" isDanger testId={`person-remove-${id}`} onSelect={() => onAsk('remove')}>
        {t('settings.removePerson')}
      </MenuItem>
    </Menu>
  );
}

function useChangeLevel(aid: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (accessLevel: AccessLevel) =>
      callApi('updateAgent', { params: { aid }, body: { accessLevel } }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.agents }),
        client.invalidateQueries({ queryKey: keys.me }),
      ]),
  });
}
