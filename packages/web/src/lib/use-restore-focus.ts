import { useState } from 'react';

interface Opener {
  readonly isOpen: boolean;
  readonly element: Element | null;
}

/**
 * Gives the focus back to what had it when a dialog opened. Radix does so for its own trigger only, and ours are
 * opened by keys, cards and addresses.
 */
export function useRestoreFocus(isOpen: boolean): (event: Event) => void {
  const [opener, setOpener] = useState<Opener>({ isOpen: false, element: null });
  // While rendering: afterwards a field inside has it already.
  if (opener.isOpen !== isOpen)
    setOpener({ isOpen, element: isOpen ? focusableAfter(document.activeElement) : opener.element });
  return (event) => {
    const { element } = opener;
    if (!(element instanceof HTMLElement) || !element.isConnected) return;
    event.preventDefault();
    element.focus({ preventScroll: true });
  };
}

/** The item of a menu goes with its menu; the button that the menu hangs on stays. */
function focusableAfter(element: Element | null): Element | null {
  const name = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return name === null || name === undefined ? element : document.getElementById(name);
}
