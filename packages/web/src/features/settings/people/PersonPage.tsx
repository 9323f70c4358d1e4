import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { Chip } from '../../../components/Chip.tsx';
import { ReadingPage } from '../../../components/Panel.tsx';
import { Time } from '../../../components/Time.tsx';
import { meQuery } from '../../../lib/queries/queries.ts';
import { AgentMenu } from '../agents/AgentMenu.tsx';
import { AgentProjects } from '../agents/AgentProjects.tsx';
import { SettingsNav } from '../SettingsNav.tsx';

/** One person, with projects. */
export function PersonPage({ person }: { readonly person: Agent }) {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  return (
    <div className="flex h-full max-sm:flex-col">
      <SettingsNav current="people" />
      <main id="content" className="min-h-0 min-w-0 flex-1">
        <ReadingPage title={person.name} aside={me?.accessLevel === 'owner' && <AgentMenu agent={person} />}>
          <div className="-mt-3 flex flex-wrap items-center gap-x-3 gap-y-2 text-12 text-ink-2">
            <Avatar name={person.name} type="human" size={32} />
            <span className="font-mono select-all">{person.id}</span>
            <Chip>{t(`app.accessLevel.${person.accessLevel ?? 'viewer'}`)}</Chip>
            {!person.hasCredential && <Chip tone="amber">{t('settings.noPasskey')}</Chip>}
            {person.role !== undefined && <span>{person.role}</span>}
            <span>
              {t('board.created')} <Time at={person.createdAt} />
            </span>
          </div>
          <AgentProjects agent={person} />
        </ReadingPage>
      </main>
    </div>
  );
}
