import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRoving } from '../lib/hooks/use-roving.ts';
import { useScrollToCurrent } from '../lib/hooks/use-scroll-to-current.ts';

/** The tabs under the top bar, 40 px high. Each tab is a link; together they are one Tab stop. */
export function TabBar({
  label,
  children,
  tools,
}: {
  readonly label: string;
  readonly children: ReactNode;
  readonly tools?: ReactNode;
}) {
  const { pathname } = useLocation();
  const roving = useRoving();
  const line = useScrollToCurrent<HTMLElement>(pathname);
  return (
    <div className="flex h-(--h-tabs) flex-none items-stretch gap-5 border-b border-line bg-surface px-4">
      <nav
        {...roving}
        ref={(element) => {
          roving.ref.current = element;
          line.current = element;
        }}
        aria-label={label}
        className="flex min-w-0 items-stretch gap-5 overflow-x-auto [scrollbar-width:none]"
      >
        {children}
      </nav>
      <span className="flex-1" />
      {tools && <div className="flex items-center gap-2">{tools}</div>}
    </div>
  );
}

export function TabLink({ children, ...link }: LinkProps & { readonly children: ReactNode }) {
  return (
    <Link
      {...link}
      className="relative flex items-center gap-1.5 text-13 whitespace-nowrap text-ink-2 hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:font-medium aria-[current=page]:text-ink aria-[current=page]:after:absolute aria-[current=page]:after:inset-x-0 aria-[current=page]:after:bottom-0 aria-[current=page]:after:h-0.5 aria-[current=page]:after:bg-accent"
    >
      {children}
    </Link>
  );
}
