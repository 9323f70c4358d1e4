import { useEffect, useEffectEvent } from 'react';
import { isComposing } from '../is-composing.ts';

/**
 * Esc, unless a dialog, a menu or a field has already handled the key. Side by side, the panel that has the focus is
 * meant: its element says its name in `data-panel`.
 */
export function useEscape(isActive: boolean, panel: 'chat' | 'task' | 'log', onEscape: () => void): void {
  const leave = useEffectEvent(onEscape);
  useEffect(() => {
    if (!isActive) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event)) return;
      const others = `[data-panel]:not([data-panel=${panel}])`;
      if (document.querySelector(`[role=dialog],[role=menu],${others}:focus-within`)) return;
      // One key press closes one element.
      event.preventDefault();
      leave();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isActive, panel]);
}
