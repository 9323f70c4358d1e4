import type { ReactNode } from 'react';
import { Icon } from './Icon.tsx';
import type { IconName } from './icon-paths.ts';

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  /** One sentence: what this is, and what to do. */
  readonly children: ReactNode;
  /** Its heading: 1 where it is the whole page. */
  readonly level?: 1 | 2 | 3;
  /** One button. */
  readonly action?: ReactNode;
}

/** Left-aligned where the content will be. */
export function EmptyState({ icon, title, children, level = 2, action }: EmptyStateProps) {
  const Heading = `h${level}` as const;
  return (
    <div className="flex max-w-[400px] flex-col items-start gap-1">
      <Icon name={icon} size={20} className="mb-2 text-ink-3" />
      <Heading className="text-14 font-semibold">{title}</Heading>
      <p className="text-13 text-pretty text-ink-2">{children}</p>
      {action && <div className="mt-3">{action}</div>}
    </div>
  );
}
