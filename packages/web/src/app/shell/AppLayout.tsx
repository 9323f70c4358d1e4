import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { CommandKey } from '../../features/commands/CommandKey.tsx';
import { Background } from '../../features/notifications/background/Background.tsx';
import { useHasRoomForSwitcher, useIsNarrow } from '../../lib/hooks/use-media-query.ts';
import { lateComponent } from '../../lib/late-component.ts';
import { LiveProvider } from '../../lib/live/live.tsx';
import { ConnectionStrip } from './ConnectionStrip.tsx';
import { LateToasts } from './LateToasts.tsx';
import { TopBar } from './TopBar.tsx';
import { useTabFromTop } from './use-tab-from-top.ts';

const Switcher = lateComponent(
  async () => (await import('../../features/presence/overview/Switcher.tsx')).Switcher,
);

const BottomBar = lateComponent(async () => (await import('./BottomBar.tsx')).BottomBar);

/** The layout of all pages behind the sign-in: the top bar, and the page, which fills the rest and scrolls. */
export function AppLayout() {
  const { t } = useTranslation();
  const hasSwitcher = useHasRoomForSwitcher();
  const isNarrow = useIsNarrow();
  useTabFromTop();
  return (
    <LiveProvider>
      <div className="flex h-dvh flex-col">
        <a
          href="#content"
          className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-surface focus:px-3 focus:py-1.5"
        >
          {t('app.skip')}
        </a>
        <CommandKey />
        <Background />
        <TopBar />
        <ConnectionStrip />
        <div className="flex min-h-0 flex-1">
          {hasSwitcher && (
            // The space is there before the code is.
            <div className="w-56 flex-none border-r border-line bg-surface">
              <Switcher />
            </div>
          )}
          <div className="min-h-0 min-w-0 flex-1">
            <Suspense>
              <Outlet />
            </Suspense>
          </div>
        </div>
        {isNarrow && (
          // The space is there before the code is.
          <div className="h-[calc(57px+env(safe-area-inset-bottom))] flex-none border-t border-line bg-surface pb-[env(safe-area-inset-bottom)]">
            <BottomBar />
          </div>
        )}
      </div>
      <LateToasts />
    </LiveProvider>
  );
}
