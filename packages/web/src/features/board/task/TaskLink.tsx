import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import type { ReactNode } from 'react';

interface TaskLinkProps {
  readonly id: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Another task: it opens in this panel. */
export function TaskLink({ id, className, children }: TaskLinkProps) {
  return (
    <Link
      to="."
      search={({ comment: _comment, ...search }) => ({ ...search, task: id })}
      className={clsx('wrap-anywhere text-accent-ink hover:underline', className)}
    >
      {children}
    </Link>
  );
}
