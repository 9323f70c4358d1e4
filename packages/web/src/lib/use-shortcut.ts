import { useEffect, useEffectEvent } from 'react';

const SEQUENCE_MS = 1_000;
let before: { key: string; at: number } | undefined;

/**
 * A key (`c`) or two in a row (`g b`), while nobody is writing and nothing is open above the page. Keys with Ctrl,
 * Alt or Cmd are the browser's.
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

/** Remembers the key for those that wait for two; once for the page, after all shortcuts have looked. */
export function useShortcutSequences(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      before = isForThePage(event) && !isAfter() ? { key: event.key, at: event.timeStamp } : undefined;
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Only `g` begins a sequence, so that a `c` after any other key is still a `c`. */
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
