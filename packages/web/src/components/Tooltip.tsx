import { type ReactNode, useEffect, useState } from 'react';
import { whenLoaded } from '../lib/queries/when-loaded.ts';
import { LateTrigger, useTriggerLink } from './late-trigger.tsx';
import { preloadSurfaces, TooltipSurface } from './lazy-surfaces.ts';

interface TooltipProps {
  readonly text: ReactNode;
  /** A focusable element. */
  readonly children: ReactNode;
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
}

/** A short sentence on hover and focus. Its information must also be available elsewhere. */
export function Tooltip({ text, children, side = 'bottom' }: TooltipProps) {
  const link = useTriggerLink();
  const [isWanted, setIsWanted] = useState(false);
  useEffect(() => whenLoaded(() => void preloadSurfaces()), []);
  return (
    <>
      <LateTrigger
        link={link}
        onFocus={() => setIsWanted(true)}
        // Who presses has what the tip tells of.
        onPointerDown={() => {
          link.missed = undefined;
        }}
        onPointerMove={({ pointerType }) => {
          if (pointerType === 'touch') return;
          setIsWanted(true);
          link.missed = new PointerEvent('pointermove', { pointerType, bubbles: true });
        }}
      >
        {children}
      </LateTrigger>
      {isWanted && <TooltipSurface link={link} text={text} side={side} />}
    </>
  );
}
