import { type RefObject, useEffect, useRef } from 'react';

/** Scrolls a horizontal list to its current item; again when the fonts are loaded, which are wider. */
export function useScrollToCurrent<T extends HTMLElement>(current: string): RefObject<T | null> {
  const line = useRef<T>(null);
  // The current item is found in the document, by aria-current.
  useEffect(() => {
    const show = () =>
      line.current
        ?.querySelector('[aria-current=page]')
        ?.scrollIntoView({ block: 'nearest', inline: 'center' });
    show();
    void document.fonts.ready.then(show);
  }, [current]);
  return line;
}
