import type { ReactNode } from 'react';
import { Icon } from './Icon.tsx';
import type { IconName } from './icon-paths.ts';

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  /** One sentence: what this is, and what to do. */
  readonly children: ReactNode;
  /** One button. */
  readonly action?: ReactNode;
}

/** Left-aligned where the content will be. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex max-w-[400px] flex-col items-start gap-1">
      <Icon name={icon} size={20} className="mb-2 text-ink-3" />
      <h3 className="text-14 font-semibold">{title}</h3>
      <p className="text-13 text-pretty text-ink-2">{children}</p>
      {action && <div className="mt-3">{action}</div>}
    </div>
  );
}
