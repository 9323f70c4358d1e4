import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useRestoreFocus } from '../../lib/hooks/use-restore-focus.ts';
import { useShortcut, useShortcutSequences } from '../../lib/hooks/use-shortcut.ts';
import { withTexts } from '../../lib/i18n.ts';
import { useStore } from '../../lib/store.ts';
import { EarlyWords } from './EarlyWords.tsx';
import { earlyWords, isKeySheetOpen, isMenuOpen } from './menu-store.ts';

const loadKeySheet = withTexts(() => import('./KeySheet.tsx'));
const KeySheet = lazy(async () => ({ default: (await loadKeySheet()).KeySheet }));
const loadMenu = withTexts(() => import('./CommandMenu.tsx'));
const CommandMenu = lazy(async () => ({ default: (await loadMenu()).CommandMenu }));

/** Listens for Ctrl/Cmd+K and for `g` with a letter; the menu is loaded when it is first opened. */
export function CommandKey() {
  const isOpen = useStore(isMenuOpen);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.ctrlKey || event.metaKey) ||
        event.shiftKey ||
        event.altKey
      )
        return;
      event.preventDefault();
      earlyWords.set('');
      isMenuOpen.set(!isMenuOpen.get());
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const navigate = useNavigate();
  const { projectId } = useParams({ strict: false });
  useShortcutSequences();
  useShortcut('g i', () => void navigate({ to: '/inbox' }));
  useShortcut('g p', () => void navigate({ to: '/projects' }));
  useShortcut('g b', () => {
    if (projectId !== undefined) void navigate({ to: '/projects/$projectId', params: { projectId } });
  });
  useShortcut('?', () => isKeySheetOpen.set(true));
  const hasKeySheet = useStore(isKeySheetOpen);
  // Here, because the field for early words has the focus when the menu comes.
  const giveFocusBack = useRestoreFocus(isOpen);
  if (hasKeySheet)
    return (
      <Suspense>
        <KeySheet onClose={() => isKeySheetOpen.set(false)} />
      </Suspense>
    );
  if (!isOpen) return null;
  const close = () => {
    earlyWords.set('');
    isMenuOpen.set(false);
  };
  return (
    <Suspense fallback={<EarlyWords onClose={close} />}>
      <CommandMenu onClose={close} giveFocusBack={giveFocusBack} />
    </Suspense>
  );
}
