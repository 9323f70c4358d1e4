import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

interface TooltipProps {
  readonly text: ReactNode;
  /** A focusable element. */
  readonly children: ReactNode;
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
}

/** A short sentence on hover and focus. Its information must also be available elsewhere. */
export function Tooltip({ text, children, side = 'bottom' }: TooltipProps) {
  return (
    <Radix.Root delayDuration={300}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      {/* Inside of the page's landmark, so that it is found when moving between landmarks. */}
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
