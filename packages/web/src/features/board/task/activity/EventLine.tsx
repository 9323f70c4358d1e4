import type { ReactNode } from 'react';
import { Time } from '../../../../components/Time.tsx';

interface EventLineProps {
  readonly icon: ReactNode;
  readonly at: string;
  readonly children: ReactNode;
}

/** One thing that happened: icon, words, time. */
export function EventLine({ icon, at, children }: EventLineProps) {
  return (
    <li className="relative grid min-h-7 grid-cols-[20px_minmax(0,1fr)_auto] items-start gap-2 py-1 text-12 text-ink-2">
      <span className="grid size-5 place-items-center bg-surface text-ink-3">{icon}</span>
      <span className="min-w-0 pt-0.5 wrap-anywhere">{children}</span>
      <Time at={at} className="pt-0.5 text-11 text-ink-3" />
    </li>
  );
}
