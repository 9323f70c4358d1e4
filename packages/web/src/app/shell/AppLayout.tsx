import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { CommandKey } from '../../features/commands/CommandKey.tsx';
import { Background } from '../../features/notifications/background/Background.tsx';
import { QuestionNotifier } from '../../features/notifications/QuestionNotifier.tsx';
import { LiveProvider } from '../../lib/live/live.tsx';
import { ConnectionStrip } from './ConnectionStrip.tsx';
import { TopBar } from './TopBar.tsx';

/** The layout of all pages behind the sign-in: the top bar, and the page, which fills the rest and scrolls. */
export function AppLayout() {
  const { t } = useTranslation();
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
        <QuestionNotifier />
        <Background />
        <TopBar />
        <ConnectionStrip />
        <div className="min-h-0 flex-1">
          <Suspense>
            <Outlet />
          </Suspense>
        </div>
      </div>
    </LiveProvider>
  );
}
