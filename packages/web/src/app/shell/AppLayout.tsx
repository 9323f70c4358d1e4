import { Outlet, useLocation } from '@tanstack/react-router';
import { type RefObject, Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { CommandKey } from '../../features/commands/CommandKey.tsx';
import { QuestionNotifier } from '../../features/notifications/QuestionNotifier.tsx';
import { LiveProvider } from '../../lib/live/live.tsx';
import { ConnectionStrip } from './ConnectionStrip.tsx';
import { TopBar } from './TopBar.tsx';

/** The layout of all pages behind the sign-in: the top bar, and the page, which fills the rest and scrolls. */
export function AppLayout() {
  const { t } = useTranslation();
  const top = useTopOfPage();
  return (
    <LiveProvider>
      <div className="flex h-dvh flex-col">
        <span ref={top} tabIndex={-1} aria-hidden="true" />
        <a
          href="#content"
          className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-surface focus:px-3 focus:py-1.5"
        >
          {t('app.skip')}
        </a>
        <CommandKey />
        <QuestionNotifier />
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

/** After a click on a link that is gone with its page, Tab begins at the top, not where the link was. */
function useTopOfPage(): RefObject<HTMLSpanElement | null> {
  const top = useRef<HTMLSpanElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    if (document.activeElement !== document.body) return;
    // The browser remembers where the focus was, and nothing has it now, as before.
    top.current?.focus({ preventScroll: true });
    top.current?.blur();
  }, [pathname]);
  return top;
}
