import clsx from 'clsx';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { PhaseLine } from '../../components/Spinner.tsx';
import { TabTools } from '../projects/tab-tools.tsx';
import { BoardColumns } from './BoardColumns.tsx';
import { EmptyBoard, NewTaskButton } from './EmptyBoard.tsx';
import { MoveError } from './move/MoveError.tsx';
import { MoveMenu } from './move/MoveMenu.tsx';
import { CreateTaskDialog, TaskPanel } from './task/lazy-task.ts';
import { useBoard } from './use-board.ts';

type BoardState = ReturnType<typeof useBoard>;

/** The tasks of a project in six columns, and the open task beside them. */
export function Board({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const board = useBoard(projectId);
  const { tasks, error, failure, canWrite, isEmpty } = board;
  const createInBacklog = () => board.setCreatingIn('backlog');
  return (
    <div className="flex h-full min-w-0">
      <div className="flex min-w-0 flex-1 flex-col">
        {canWrite && (
          <TabTools>
            <NewTaskButton onClick={createInBacklog} />
          </TabTools>
        )}
        {error && <ErrorNote error={error} onRetry={() => void board.refetch()} className="m-4" />}
        {failure && <MoveError failure={failure} onRetry={board.move} />}
        {!tasks && !error && (
          <div className="p-4">
            <PhaseLine>{t('common.loading')}</PhaseLine>
          </div>
        )}
        <ColumnGrid projectId={projectId} board={board} />
        {isEmpty && (
          <EmptyBoard isReadOnly={board.isReadOnly} onCreate={canWrite ? createInBacklog : undefined} />
        )}
        <p role="status" className="sr-only">
          {board.announcement}
        </p>
        <MoveMenu
          task={board.menuTask}
          anchor={board.menuAnchor}
          onMove={board.moveFromMenu}
          onClose={board.closeMenu}
        />
      </div>
      <Suspense fallback={null}>
        <OpenTask projectId={projectId} board={board} />
      </Suspense>
    </div>
  );
}

function ColumnGrid({ projectId, board }: { readonly projectId: string; readonly board: BoardState }) {
  const { tasks, isEmpty, canWrite, keyboard } = board;
  return (
    <div
      {...keyboard.handlers}
      // Without a card or a button in it, it must itself take the focus to be scrolled by keyboard.
      tabIndex={isEmpty && !canWrite ? 0 : undefined}
      className={clsx(
        'grid snap-x snap-proximity auto-cols-[minmax(200px,1fr)] grid-flow-col gap-2 overflow-x-auto scroll-px-4 px-4 pt-3 pb-4 max-sm:snap-mandatory max-sm:auto-cols-[calc(100%-24px)]',
        isEmpty ? 'flex-none' : 'min-h-0 flex-1 grid-rows-[minmax(0,1fr)]',
        !tasks && 'hidden',
      )}
    >
      <BoardColumns projectId={projectId} board={board} />
    </div>
  );
}

/** The task in the address, and the dialog of a new one: both are loaded when they are needed. */
function OpenTask({ projectId, board }: { readonly projectId: string; readonly board: BoardState }) {
  const { tasks, openId, members, canWrite, creatingIn } = board;
  return (
    <>
      {openId !== undefined && tasks && (
        <TaskPanel
          projectId={projectId}
          taskId={openId}
          tasks={tasks}
          column={board.columnOfOpen}
          members={members}
          canWrite={canWrite}
          onOpen={board.openTask}
          onClose={board.closeTask}
        />
      )}
      {creatingIn && tasks && (
        <CreateTaskDialog
          projectId={projectId}
          status={creatingIn}
          tasks={tasks}
          members={members}
          onClose={() => board.setCreatingIn(undefined)}
        />
      )}
    </>
  );
}
