import { type RefObject, useEffect, useRef } from 'react';

/** Scrolls a horizontal list to its current item; again when the fonts are loaded, which are wider. */
export function useScrollToCurrent<T extends HTMLElement>(current: string): RefObject<T | null> {
  const line = useRef<T>(null);
  // The current item is found in the document, by aria-current.
  useEffect(() => {
    const show = () => {
      const list = line.current;
      const item = list?.querySelector('[aria-current=page]');
      if (!list || !item) return;
      // Not scrollIntoView: the browser would begin with Tab at this item, not at the top of the page.
      const [outer, inner] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
      list.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
    };
    show();
    void document.fonts.ready.then(show);
  }, [current]);
  return line;
}
