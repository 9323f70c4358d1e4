import { useEffect, useEffectEvent } from 'react';
import { isComposing } from '../is-composing.ts';
import { continues, type HandledKey } from './key-sequence.ts';

let before: HandledKey | undefined;

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
        second === undefined
          ? event.key === first && !isAfter(event)
          : event.key === second && isAfter(event, first);
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
      before =
        isForThePage(event) && !isAfter(event) ? { key: event.key, handledAt: performance.now() } : undefined;
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Only `g` begins a sequence: `c` after any other key is a shortcut of its own. */
function isAfter({ timeStamp }: KeyboardEvent, key = 'g'): boolean {
  return before?.key === key && continues(before, timeStamp);
}

function isForThePage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isComposing(event)) return false;
  const { target } = event;
  const isWriting =
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]');
  return !isWriting && !document.querySelector('[role="dialog"], [role="menu"]');
}
