import { lazy, Suspense, useEffect, useState } from 'react';

const CommandMenu = lazy(async () => ({ default: (await import('./CommandMenu.tsx')).CommandMenu }));

/** Listens for Ctrl/Cmd+K; the menu is loaded when it is first asked for. */
export function CommandKey() {
  const [isOpen, setIsOpen] = useState(false);
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
      setIsOpen((open) => !open);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  if (!isOpen) return null;
  return (
    <Suspense>
      <CommandMenu onClose={() => setIsOpen(false)} />
    </Suspense>
  );
}
