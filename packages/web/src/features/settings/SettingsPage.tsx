import { useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { NotFoundPage } from '../../app/NotFoundPage.tsx';
import { AgentsSection } from './agents/AgentsSection.tsx';
import { AboutSection } from './general/AboutSection.tsx';
import { GeneralSection } from './general/GeneralSection.tsx';
import { McpSection } from './mcp/McpSection.tsx';
import { NotificationsSection } from './notifications/NotificationsSection.tsx';
import { PeopleSection } from './people/PeopleSection.tsx';
import { SettingsNav } from './SettingsNav.tsx';
import { type Section, toSection } from './sections.ts';
import { TokensSection } from './tokens/TokensSection.tsx';

const PAGES: Record<Section, ComponentType> = {
  general: GeneralSection,
  mcp: McpSection,
  people: PeopleSection,
  agents: AgentsSection,
  tokens: TokensSection,
  notifications: NotificationsSection,
  about: AboutSection,
};

/** /settings and /settings/:section: the sections on the left, at 360 px above. */
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
