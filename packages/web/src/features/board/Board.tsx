import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { PhaseLine } from '../../components/Spinner.tsx';
import { TabTools } from '../projects/tab-tools.tsx';
import { BoardColumns } from './BoardColumns.tsx';
import { EmptyBoard, NewTaskButton } from './EmptyBoard.tsx';
import { MoveError } from './move/MoveError.tsx';
import { MoveMenu } from './move/MoveMenu.tsx';
import { CreateTaskDialog } from './task/CreateTaskDialog.tsx';
import { TaskDialog } from './task/TaskDialog.tsx';
import { useBoard } from './use-board.ts';

/** The tasks of a project in six columns. */
export function Board({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const board = useBoard(projectId);
  const { tasks, error, failure, keyboard, canWrite, isEmpty, openId, members } = board;
  const createInBacklog = () => board.setCreatingIn('backlog');
  return (
    <div className="flex h-full flex-col">
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
        <BoardColumns board={board} />
      </div>
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
      {board.creatingIn && (
        <CreateTaskDialog
          projectId={projectId}
          status={board.creatingIn}
          members={members}
          onClose={() => board.setCreatingIn(undefined)}
        />
      )}
      {openId !== undefined && tasks && (
        <TaskDialog
          key={openId}
          projectId={projectId}
          taskId={openId}
          task={tasks.find((task) => task.id === openId)}
          members={members}
          canWrite={canWrite}
        />
      )}
    </div>
  );
}
