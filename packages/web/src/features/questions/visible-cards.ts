import { type RefObject, useEffect } from 'react';

/** The elements of the cards that are in the document of this tab. */
const shown = new Map<string, Set<Element>>();

/** Registers the card while it is mounted: no notification is needed while it is in view. */
export function useVisibleCard(toolUseId: string, element: RefObject<Element | null>): void {
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const elements = shown.get(toolUseId) ?? new Set();
    elements.add(current);
    shown.set(toolUseId, elements);
    return () => {
      elements.delete(current);
      if (elements.size === 0) shown.delete(toolUseId);
    };
  }, [toolUseId, element]);
}

/** This tab has the focus, and the card is on the screen. */
export function isCardInView(toolUseId: string): boolean {
  if (document.visibilityState !== 'visible' || !document.hasFocus()) return false;
  return [...(shown.get(toolUseId) ?? [])].some((element) => {
    const { top, bottom, width } = element.getBoundingClientRect();
    return width > 0 && bottom > 0 && top < window.innerHeight;
  });
}
