import { useEffect, useEffectEvent } from 'react';

const SEQUENCE_MS = 1_000;
let before: { key: string; at: number } | undefined;

/**
 * A key (`c`) or a sequence of two (`g b`), unless the person is writing or a dialog or menu is open. Keys with Ctrl,
 * Alt or Cmd belong to the browser.
 */
export function useShortcut(keys: string, action: () => void): void {
  const act = useEffectEvent(action);
  useEffect(() => {
    const [first = '', second] = keys.split(' ');
    const onKey = (event: KeyboardEvent) => {
      if (!isForThePage(event)) return;
      const isDue =
        second === undefined ? event.key === first && !isAfter() : event.key === second && isAfter(first);
      if (!isDue) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [keys]);
}

/** Records the first key of sequences. Used once on a page; its listener runs after those of the shortcuts. */
export function useShortcutSequences(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      before = isForThePage(event) && !isAfter() ? { key: event.key, at: event.timeStamp } : undefined;
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Only `g` begins a sequence: `c` after any other key is a shortcut of its own. */
function isAfter(key = 'g'): boolean {
  return before?.key === key && performance.now() - before.at < SEQUENCE_MS;
}

function isForThePage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  const { target } = event;
  const isWriting =
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]');
  return !isWriting && !document.querySelector('[role="dialog"], [role="menu"]');
}
