import clsx from 'clsx';
import { initialOf } from './initial.ts';

/** What the ring shows (mock-ups). */
export type AvatarState = 'none' | 'queued' | 'starting' | 'ready' | 'working' | 'waiting' | 'failed';

interface AvatarProps {
  readonly name: string;
  readonly type: 'ai' | 'human';
  readonly size?: 16 | 20 | 24 | 28 | 32;
  /** Without it there is no ring. */
  readonly state?: AvatarState | undefined;
  /** Name and state for screen readers, where no text beside it says them; without it the avatar is hidden. */
  readonly label?: string | undefined;
  readonly className?: string;
}

const SIZES = {
  16: 'size-4 text-[9px]',
  20: 'size-5 text-[10px]',
  24: 'size-6 text-11',
  28: 'size-7 text-12',
  32: 'size-8 text-13',
} as const;

/** An agent is a circle, a person a square. */
export function Avatar({ name, type, size = 24, state, label, className }: AvatarProps) {
  const hasRing = type === 'ai' && state !== undefined;
  return (
    <span
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
      data-state={hasRing ? state : undefined}
      data-ring={hasRing}
      data-size={size}
      className={clsx('avatar', type === 'human' && 'avatar-person', SIZES[size], className)}
    >
      {initialOf(name)}
      {hasRing && (state === 'waiting' || state === 'failed') && <StateBadge state={state} />}
    </span>
  );
}

const BADGES = {
  waiting: 'M2.8 2.9a1.2 1.2 0 1 1 1.7 1.1c-.4.2-.5.4-.5.8M4 6.3h.01',
  failed: 'M4 1.8v2.6M4 6.2h.01',
} as const;

function StateBadge({ state }: { readonly state: keyof typeof BADGES }) {
  return (
    <span className="avatar-pip">
      <svg
        viewBox="0 0 8 8"
        width="8"
        height="8"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <path d={BADGES[state]} />
      </svg>
    </span>
  );
}
