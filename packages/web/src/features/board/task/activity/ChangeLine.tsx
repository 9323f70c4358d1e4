import type { HistoryEntry } from '@aizuchi/shared/contract/task';
import { TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { Icon } from '../../../../components/Icon.tsx';
import { StatusIcon } from '../../card/StatusIcon.tsx';
import { EventLine } from './EventLine.tsx';
import { useChangeWords } from './use-change-words.ts';

interface ChangeLineProps {
  readonly entry: HistoryEntry;
  readonly titleOf: (taskId: string) => string;
}

/** What somebody changed, in words. */
export function ChangeLine({ entry, titleOf }: ChangeLineProps) {
  const words = useChangeWords(titleOf)(entry);
  const status = entry.field === 'status' && TASK_STATUSES.find((one) => one === entry.to);
  return (
    <EventLine icon={status ? <StatusIcon status={status} /> : <Icon name="edit" size={14} />} at={entry.at}>
      {words}
    </EventLine>
  );
}
