import { Link, useParams } from '@tanstack/react-router';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { SearchButton } from '../../features/commands/SearchButton.tsx';
import { InboxLink } from '../../features/inbox/InboxLink.tsx';
import { useIsNarrow } from '../../lib/hooks/use-media-query.ts';
import { lateComponent } from '../../lib/late-component.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { Breadcrumb } from './Breadcrumb.tsx';
import { LanguageSwitch, ThemeSwitch } from './Switches.tsx';

/** Only pages of a project show them: they come with the frame of these pages. */
const AgentAvatars = lateComponent(
  async () => (await import('../../features/presence/AgentAvatars.tsx')).AgentAvatars,
);

export function TopBar() {
  const { t } = useTranslation();
  const { projectId } = useParams({ strict: false });
  const isNarrow = useIsNarrow();
  return (
    <header className="flex h-(--h-top) flex-none items-center gap-2 border-b border-line bg-surface px-4 sm:gap-4">
      <Link
        to="/projects"
        aria-label={t('app.home')}
        className="flex items-center gap-2 font-semibold tracking-[-0.005em]"
      >
        <Logo />
        {!isNarrow && 'Aizuchi'}
      </Link>
      <Breadcrumb />
      <span className="flex-1" />
      {projectId !== undefined && !isNarrow && (
        <>
          <AgentAvatars projectId={projectId} />
          <Divider className="hidden [nav+&]:block" />
        </>
      )}
      <SearchButton />
      <InboxLink />
      {!isNarrow && <Divider />}
      <div className="flex items-center gap-1">
        {/* A phone has no room for them beside a name: there they are in the person's settings. */}
        {!isNarrow && (
          <>
            <LanguageSwitch />
            <ThemeSwitch />
          </>
        )}
        <AccountMenu />
      </div>
    </header>
  );
}

function Divider({ className }: { readonly className?: string }) {
  return <span className={clsx('h-5 w-px flex-none bg-line', className)} />;
}

export function Logo() {
  return (
    <svg
      viewBox="0 0 20 20"
      width="20"
      height="20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      aria-hidden="true"
      className="flex-none text-accent"
    >
      <path d="M4 15.5 10 4l6 11.5" />
      <path d="M7.4 11.5c1.7 1.3 3.5 1.3 5.2 0" />
    </svg>
  );
}
