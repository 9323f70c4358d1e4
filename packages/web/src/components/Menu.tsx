import { type ReactNode, useEffect, useState } from 'react';
import { whenLoaded } from '../lib/queries/when-loaded.ts';
import { LateTrigger, useTriggerLink } from './late-trigger.tsx';
import { MenuSurface, preloadSurfaces } from './lazy-surfaces.ts';

export { MenuItem, MenuSeparator } from './lazy-surfaces.ts';

interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactNode;
  readonly label?: ReactNode;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
}

const OPENING_KEYS = ['Enter', ' ', 'ArrowDown'];

/** Its code is loaded later than its button: a press that comes before opens it when the code is there. */
export function Menu({ trigger, label, children, align = 'end' }: MenuProps) {
  const link = useTriggerLink();
  const [isWanted, setIsWanted] = useState(false);
  const prepare = () => {
    // The items with it: a menu that is open must not wait for them.
    void preloadSurfaces().then(() => {
      // A press whose code could not be loaded is not done again when a later one loads it.
      if (!MenuSurface.code.get()) link.missed = undefined;
    });
    setIsWanted(true);
  };
  useEffect(() => whenLoaded(() => void preloadSurfaces()), []);
  return (
    <>
      <LateTrigger
        link={link}
        aria-haspopup="menu"
        aria-expanded={false}
        onPointerEnter={prepare}
        onFocus={prepare}
        onPointerDown={(event) => {
          prepare();
          const { button, ctrlKey } = event;
          if (button !== 0 || ctrlKey) return;
          // As Radix does: a focus that comes to the button afterwards would close the menu again.
          event.preventDefault();
          link.missed = new PointerEvent('pointerdown', { button, bubbles: true, cancelable: true });
        }}
        onKeyDown={(event) => {
          if (!OPENING_KEYS.includes(event.key)) return;
          event.preventDefault();
          prepare();
          link.missed = new KeyboardEvent('keydown', { key: event.key, bubbles: true, cancelable: true });
        }}
      >
        {trigger}
      </LateTrigger>
      {isWanted && (
        <MenuSurface link={link} label={label} align={align}>
          {children}
        </MenuSurface>
      )}
    </>
  );
}
