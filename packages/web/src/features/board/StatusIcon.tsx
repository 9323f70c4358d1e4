import type { TaskStatus } from '@aizuchi/shared/domain/task/task-status';
import { Icon } from '../../components/Icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';

export const STATUS_ICONS: Record<TaskStatus, IconName> = {
  backlog: 'backlog',
  todo: 'circle',
  in_progress: 'halfCircle',
  blocked: 'blocked',
  done: 'done',
  cancelled: 'cancelled',
};

export function StatusIcon({ status }: { readonly status: TaskStatus }) {
  return <Icon name={STATUS_ICONS[status]} size={14} className="text-ink-3" />;
}
