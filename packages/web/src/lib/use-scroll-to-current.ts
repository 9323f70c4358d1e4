import { type RefObject, useEffect, useRef } from 'react';

/** A line that scrolls sideways shows the place where one is: again when the fonts have come, which are wider. */
export function useScrollToCurrent<T extends HTMLElement>(current: string): RefObject<T | null> {
  const line = useRef<T>(null);
  // What is current stands in the document.
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
