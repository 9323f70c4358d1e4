import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

interface TooltipProps {
  readonly text: ReactNode;
  /** Something that can have the focus. */
  readonly children: ReactNode;
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
}

/** A short sentence on hover and focus. Never the only place where something is said. */
export function Tooltip({ text, children, side = 'bottom' }: TooltipProps) {
  return (
    <Radix.Root delayDuration={300}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      {/* Inside of the page's landmark: what stands beside all of them is not found by who goes from one to the next. */}
      <Radix.Portal container={document.getElementById('content')}>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="num z-50 max-w-80 rounded-sm bg-ink px-2 py-0.5 text-11 text-canvas"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export const TooltipProvider = Radix.Provider;
