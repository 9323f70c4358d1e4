import { type RefObject, useEffect } from 'react';

/** The cards that are in the document of this tab, and where. */
const shown = new Map<string, Set<Element>>();

/** While it is there, nobody needs to be told of it otherwise. */
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

/** The person looks at this tab, and the card is on its screen. */
export function isCardInView(toolUseId: string): boolean {
  if (document.visibilityState !== 'visible' || !document.hasFocus()) return false;
  return [...(shown.get(toolUseId) ?? [])].some((element) => {
    const { top, bottom, width } = element.getBoundingClientRect();
    return width > 0 && bottom > 0 && top < window.innerHeight;
  });
}
