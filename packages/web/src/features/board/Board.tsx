import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { PhaseLine } from '../../components/Spinner.tsx';
import { TabTools } from '../projects/tab-tools.tsx';
import { BoardContent } from './BoardContent.tsx';
import { EmptyBoard, NewTaskButton } from './EmptyBoard.tsx';
import { MoveMenu } from './move/lazy-move-menu.ts';
import { MoveError } from './move/MoveError.tsx';
import { CreateTaskDialog, TaskPanel } from './task/lazy-task.ts';
import { useBoard } from './use-board.ts';
import { FilterBar } from './views/lazy-views.ts';

type BoardState = ReturnType<typeof useBoard>;

/** The tasks of a project in six columns, and the open task beside them. */
export function Board({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const board = useBoard(projectId);
  const { tasks, error, failure, canWrite, isEmpty, filter } = board;
  const createInBacklog = () => board.setCreatingIn('backlog');
  return (
    <div className="flex h-full min-w-0">
      <div className="flex min-w-0 flex-1 flex-col">
        <TabTools>
          {!isEmpty && <FilterButton filter={filter} />}
          {canWrite && <NewTaskButton onClick={createInBacklog} />}
        </TabTools>
        {error && <ErrorNote error={error} onRetry={() => void board.refetch()} className="m-4" />}
        {failure && <MoveError failure={failure} onRetry={board.move} />}
        {!tasks && !error && (
          <div className="p-4">
            <PhaseLine>{t('common.loading')}</PhaseLine>
          </div>
        )}
        {filter.isBarShown && tasks && (
          // Its height is kept while it is loaded: the cards must not jump.
          <div className="min-h-10 flex-none">
            <Suspense fallback={null}>
              <FilterBar state={filter} tasks={tasks} members={board.members} />
            </Suspense>
          </div>
        )}
        {tasks && tasks.length > 0 && filter.filtered?.length === 0 && (
          <p role="status" className="px-4 pt-3 text-12 text-ink-2">
            {t('board.noMatch')}
          </p>
        )}
        <BoardContent projectId={projectId} board={board} />
        {isEmpty && (
          <EmptyBoard isReadOnly={board.isReadOnly} onCreate={canWrite ? createInBacklog : undefined} />
        )}
        <p role="status" className="sr-only">
          {board.announcement}
        </p>
        {board.hasMenu && (
          <MoveMenu
            task={board.menuTask}
            anchor={board.menuAnchor}
            onMove={board.moveFromMenu}
            onClose={board.closeMenu}
          />
        )}
      </div>
      <Suspense fallback={null}>
        <OpenTask projectId={projectId} board={board} />
      </Suspense>
    </div>
  );
}

/** Opens the filter, and says how many are in use. */
function FilterButton({ filter }: { readonly filter: BoardState['filter'] }) {
  const { t } = useTranslation();
  return (
    <Button
      size="sm"
      variant="quiet"
      icon="filter"
      data-testid="task-filter-open"
      aria-pressed={filter.isBarShown}
      onClick={filter.toggleBar}
    >
      {/* On a phone it shares its line with the avatars. */}
      <span className="max-sm:sr-only">{t('board.filter')}</span>
      {filter.count > 0 && <span className="num">{filter.count}</span>}
    </Button>
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
