import type { Task } from '@aizuchi/shared/contract/task';
import { TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import type { ReactNode } from 'react';
import { BoardColumn } from './BoardColumn.tsx';
import { dropOf } from './move/use-dragging.ts';
import { useWayWords } from './move/use-way-words.ts';
import type { useBoard } from './use-board.ts';

interface BoardColumnsProps {
  readonly projectId: string;
  readonly board: ReturnType<typeof useBoard>;
  readonly renderCard: (task: Task, isTabStop: boolean) => ReactNode;
}

/** One column for each status, with its cards. */
export function BoardColumns({ projectId, board, renderCard }: BoardColumnsProps) {
  const { columns, canWrite, keyboard, dragging } = board;
  const wayWords = useWayWords();
  return TASK_STATUSES.map((status) => (
    <BoardColumn
      key={status}
      projectId={projectId}
      status={status}
      tasks={columns[status]}
      tabStop={keyboard.tabStops[status]}
      drop={dropOf(dragging?.status, status)}
      refusal={dragging && wayWords(dragging.status, status)}
      isBoardEmpty={board.isEmpty}
      onCreate={canWrite ? board.setCreatingIn : undefined}
      renderCard={renderCard}
    />
  ));
}
