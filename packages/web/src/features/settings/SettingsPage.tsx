import { Link, useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { NotFoundPage } from '../../app/NotFoundPage.tsx';
import { Icon } from '../../components/Icon.tsx';
import { AboutSection } from './AboutSection.tsx';
import { AgentsSection } from './AgentsSection.tsx';
import { GeneralSection } from './GeneralSection.tsx';
import { McpSection } from './McpSection.tsx';
import { PeopleSection } from './PeopleSection.tsx';
import { SECTION_ICONS, SECTIONS, type Section, toSection } from './sections.ts';
import { TokensSection } from './TokensSection.tsx';

const PAGES: Record<Section, ComponentType> = {
  general: GeneralSection,
  mcp: McpSection,
  people: PeopleSection,
  agents: AgentsSection,
  tokens: TokensSection,
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

function SettingsNav({ current }: { readonly current: Section }) {
  const { t } = useTranslation();
  return (
    <nav
      aria-label={t('app.settings')}
      className="flex flex-none gap-0.5 border-line max-sm:overflow-x-auto max-sm:border-b max-sm:px-2 max-sm:py-1 sm:w-[216px] sm:flex-col sm:overflow-y-auto sm:border-r sm:px-3 sm:py-4"
    >
      <p className="px-2 pb-1 text-12 font-medium text-ink-3 max-sm:hidden">{t('app.settings')}</p>
      {SECTIONS.map((section) => (
        <Link
          key={section}
          to="/settings/$section"
          params={{ section }}
          aria-current={section === current ? 'page' : undefined}
          data-testid={`settings-${section}`}
          className="flex min-h-7 flex-none items-center gap-2 rounded-md px-2 text-13 whitespace-nowrap text-ink-2 hover:bg-hover hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:min-h-9"
        >
          <Icon name={SECTION_ICONS[section]} size={16} className="text-ink-3" />
          {t(`settings.section.${section}`)}
        </Link>
      ))}
    </nav>
  );
}
