import clsx from 'clsx';
import type { ReactNode } from 'react';

export function Spinner({ className }: { readonly className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={clsx(
        'inline-block size-3 flex-none animate-turn rounded-full border-[1.5px] border-line-strong border-t-accent',
        className,
      )}
    />
  );
}

/** A thin line that says what is being done, and since when. */
export function PhaseLine({
  children,
  isLive = true,
}: {
  readonly children: ReactNode;
  readonly isLive?: boolean;
}) {
  return (
    <p role="status" className="flex items-center gap-2 text-12 text-ink-2">
      {isLive && <Spinner />}
      <span className="num min-w-0">{children}</span>
    </p>
  );
}
