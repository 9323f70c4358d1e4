import { useEffect, useEffectEvent } from 'react';

/** Esc, unless a dialog, a menu or a field has already handled the key. */
export function useEscape(isActive: boolean, onEscape: () => void): void {
  const leave = useEffectEvent(onEscape);
  useEffect(() => {
    if (!isActive) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      if (document.querySelector('[role="dialog"],[role="menu"]')) return;
      // One key press closes one element.
      event.preventDefault();
      leave();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isActive]);
}
