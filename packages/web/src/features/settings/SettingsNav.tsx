import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { useScrollToCurrent } from '../../lib/hooks/use-scroll-to-current.ts';
import { SECTION_ICONS, SECTIONS, type Section } from './sections.ts';

/** The sections on the left; at 360 px a line above, scrolled to the open one. */
export function SettingsNav({ current }: { readonly current: Section }) {
  const { t } = useTranslation();
  const nav = useScrollToCurrent<HTMLElement>(current);
  return (
    <nav
      ref={nav}
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
          {t(`app.settingsSection.${section}`)}
        </Link>
      ))}
    </nav>
  );
}
