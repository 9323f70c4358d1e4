import { useState } from 'react';

interface Opener {
  readonly isOpen: boolean;
  readonly element: Element | null;
}

/**
 * Returns the focus to the element that had it when the dialog opened. Radix does so only for its own trigger, and our
 * dialogs are opened by keys, cards and addresses.
 */
export function useRestoreFocus(isOpen: boolean): (event: Event) => void {
  const [opener, setOpener] = useState<Opener>({ isOpen: false, element: null });
  // While rendering: afterwards a field inside of the dialog already has the focus.
  if (opener.isOpen !== isOpen)
    setOpener({ isOpen, element: isOpen ? focusableAfter(document.activeElement) : opener.element });
  return (event) => {
    if (isFocusTaken()) return event.preventDefault();
    const { element } = opener;
    if (!(element instanceof HTMLElement) || !element.isConnected) return;
    event.preventDefault();
    element.focus({ preventScroll: true });
  };
}

/** Radix calls after the dialog has gone. What has the focus by then, for example in the next dialog, keeps it. */
function isFocusTaken(): boolean {
  const { activeElement, body } = document;
  return activeElement !== null && activeElement !== body;
}

/** An item of a menu disappears with the menu: the menu's button gets the focus instead. */
function focusableAfter(element: Element | null): Element | null {
  const name = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return name === null || name === undefined ? element : document.getElementById(name);
}
