import { TASK_STATUSES, type TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';
import { BoardColumn } from './BoardColumn.tsx';
import { TaskCard } from './card/TaskCard.tsx';
import { dropOf } from './move/use-dragging.ts';
import type { useBoard } from './use-board.ts';

/** One column for each status, with its cards. */
export function BoardColumns({
  projectId,
  board,
}: {
  readonly projectId: string;
  readonly board: ReturnType<typeof useBoard>;
}) {
  const { columns, namedAgents, sessions, canWrite, openId, keyboard } = board;
  const card = (status: TaskStatus, index: number) => {
    const task = columns[status][index];
    if (!task) return null;
    const { id, assigneeId } = task;
    return (
      <TaskCard
        key={id}
        task={task}
        assignee={assigneeId === undefined ? undefined : namedAgents.get(assigneeId)}
        session={assigneeId === undefined ? undefined : sessions[assigneeId]}
        canMove={canWrite}
        isOpen={id === openId}
        isTabStop={keyboard.tabStops[status] === id}
        onMenu={board.openMenu}
      />
    );
  };
  return TASK_STATUSES.map((status) => (
    <BoardColumn
      key={status}
      projectId={projectId}
      status={status}
      count={columns[status].length}
      drop={dropOf(board.dragging, status)}
      isBoardEmpty={board.isEmpty}
      onCreate={canWrite ? board.setCreatingIn : undefined}
      renderCard={(index) => card(status, index)}
    />
  ));
}
