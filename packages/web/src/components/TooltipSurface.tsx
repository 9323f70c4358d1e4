import { Tooltip as Radix } from 'radix-ui';
import { type ReactNode, useEffect } from 'react';
import { LinkedTrigger, type TriggerLink } from './late-trigger.tsx';

export interface TooltipSurfaceProps {
  readonly link: TriggerLink;
  readonly text: ReactNode;
  readonly side: 'top' | 'bottom' | 'left' | 'right';
}

const DELAY_MS = 300;

export function TooltipSurface({ link, text, side }: TooltipSurfaceProps) {
  // The pointer may rest where it has come to.
  useEffect(() => {
    if (link.missed && link.element?.matches(':hover')) link.element.dispatchEvent(link.missed);
    link.missed = undefined;
  }, [link]);
  return (
    <Radix.Provider>
      <Radix.Root delayDuration={DELAY_MS} defaultOpen={link.element?.matches(':focus-visible') ?? false}>
        <Radix.Trigger asChild>
          <LinkedTrigger link={link} />
        </Radix.Trigger>
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
    </Radix.Provider>
  );
}
