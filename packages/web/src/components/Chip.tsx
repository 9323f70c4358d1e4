import clsx from 'clsx';
import type { ReactNode } from 'react';

const TONES = {
  neutral: 'border-line bg-surface text-ink-2',
  accent: 'border-accent-line bg-accent-soft text-accent-ink',
  amber: 'border-amber-line bg-amber-soft text-amber-ink',
  red: 'border-red-line bg-red-soft text-red-ink',
  green: 'border-green-line bg-green-soft text-green-ink',
  ask: 'border-ask-line bg-ask-soft text-ask-ink',
} as const;

/** A short word in a frame; a tone other than neutral means a state. */
export function Chip({
  tone = 'neutral',
  children,
}: {
  readonly tone?: keyof typeof TONES;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={clsx(
        'inline-flex h-5 flex-none items-center gap-1 rounded-sm border px-1.5 text-12 font-normal whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
