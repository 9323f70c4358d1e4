import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { TabBar, TabLink } from '../../components/Tabs.tsx';

const TABS = [
  { to: '/projects/$projectId', name: 'app.tabBoard' },
  { to: '/projects/$projectId/conversations', name: 'app.tabConversations' },
  { to: '/projects/$projectId/runs', name: 'app.tabRuns' },
  { to: '/projects/$projectId/schedules', name: 'app.tabSchedules' },
  { to: '/projects/$projectId/usage', name: 'app.tabUsage' },
  { to: '/projects/$projectId/settings', name: 'app.tabSettings' },
] as const;

interface ProjectTabsProps {
  readonly projectId: string;
  readonly tools: ReactNode;
}

/** The pages of a project; an open chat stays open from one to the next. */
export function ProjectTabs({ projectId, tools }: ProjectTabsProps) {
  const { t } = useTranslation();
  return (
    <TabBar label={t('app.tabs')} tools={tools}>
      {TABS.map(({ to, name }) => (
        <TabLink
          key={to}
          to={to}
          params={{ projectId }}
          search={keepChat}
          // The board's address is the beginning of all others.
          activeOptions={{ exact: to === '/projects/$projectId', includeSearch: false }}
        >
          {t(name)}
        </TabLink>
      ))}
    </TabBar>
  );
}

const keepChat = ({ agent }: { agent?: string }) => (agent === undefined ? {} : { agent });
