import { type RefObject, useEffect } from 'react';

/**
 * Who types after a click into the chat writes a message: the keys go to the composer, not to the shortcuts of the page.
 * Fields, cards, dialogs, menus, and keys with Ctrl, Alt or Cmd are left alone.
 */
export function useTypedWords(input: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    let wasLastPressHere = true;
    const onPress = ({ target }: Event) => {
      wasLastPressHere = target instanceof Element && target.closest('[data-chat]') !== null;
    };
    const onKey = (event: KeyboardEvent) => {
      if (!input.current || !isWord(event) || !isForChat(event.target, wasLastPressHere)) return;
      input.current.focus({ preventScroll: true });
      event.stopPropagation();
    };
    document.addEventListener('pointerdown', onPress, { capture: true });
    // The browser writes the key into what has the focus after this phase.
    document.addEventListener('keydown', onKey, { capture: true });
    return () => {
      document.removeEventListener('pointerdown', onPress, { capture: true });
      document.removeEventListener('keydown', onKey, { capture: true });
    };
  }, [input]);
}

/** A key that writes, or begins to write by an input method. */
function isWord({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return false;
  // The space bar presses a button.
  if (key === ' ') return target === document.body;
  return key.length === 1 || key === 'Process';
}

function isForChat(target: EventTarget | null, wasLastPressHere: boolean): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('input, textarea, select, [contenteditable], form, [data-card]')) return false;
  if (document.querySelector('[role="dialog"], [role="menu"]')) return false;
  return target === document.body ? wasLastPressHere : target.closest('[data-chat]') !== null;
}
