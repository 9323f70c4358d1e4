import { useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { NotFoundPage } from '../../app/NotFoundPage.tsx';
import { AboutSection } from './AboutSection.tsx';
import { AgentsSection } from './AgentsSection.tsx';
import { GeneralSection } from './GeneralSection.tsx';
import { McpSection } from './McpSection.tsx';
import { NotificationsSection } from './NotificationsSection.tsx';
import { PeopleSection } from './PeopleSection.tsx';
import { SettingsNav } from './SettingsNav.tsx';
import { type Section, toSection } from './sections.ts';
import { TokensSection } from './TokensSection.tsx';

const PAGES: Record<Section, ComponentType> = {
  general: GeneralSection,
  mcp: McpSection,
  people: PeopleSection,
  agents: AgentsSection,
  tokens: TokensSection,
  notifications: NotificationsSection,
  about: AboutSection,
};

/** /settings and /settings/:section: the parts on the left, at 360 px above. */
export function SettingsPage() {
  const { section: name } = useParams({ strict: false });
  const section = toSection(name);
  if (section === undefined) return <NotFoundPage />;
  const Page = PAGES[section];
  return (
    <div className="flex h-full max-sm:flex-col">
      <SettingsNav current={section} />
      <main id="content" className="min-h-0 min-w-0 flex-1">
        <Page key={section} />
      </main>
    </div>
  );
}
