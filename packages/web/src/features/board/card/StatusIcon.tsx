import type { TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';
import { Icon } from '../../../components/Icon.tsx';
import type { IconName } from '../../../components/icon-paths.ts';

const STATUS_ICONS: Record<TaskStatus, IconName> = {
  backlog: 'backlog',
  todo: 'circle',
  in_progress: 'halfCircle',
  blocked: 'blocked',
  done: 'done',
  cancelled: 'cancelled',
};

export function StatusIcon({ status }: { readonly status: TaskStatus }) {
  if (status === 'in_progress') return <InProgress />;
  return <Icon name={STATUS_ICONS[status]} size={14} className="text-ink-3" />;
}

/** A half-filled icon; the shared icons have strokes only. */
function InProgress() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" className="block flex-none text-ink-3">
      <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="1.7" />
      <path d="M8 5a3 3 0 0 1 0 6z" fill="currentColor" />
    </svg>
  );
}
