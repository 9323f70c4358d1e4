import type { Task, TaskStatus } from '@aizuchi/shared/contract/task';
import { TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import clsx from 'clsx';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { PhaseLine } from '../../components/Spinner.tsx';
import { agentSessionsQuery, tasksQuery } from '../../lib/queries/queries.ts';
import { useWriteAccess } from '../../lib/queries/use-write-access.ts';
import { TabTools } from '../projects/tab-tools.tsx';
import { BoardColumn } from './BoardColumn.tsx';
import { TaskCard } from './card/TaskCard.tsx';
import { columnsOf } from './columns.ts';
import { MoveError } from './move/MoveError.tsx';
import { MoveMenu, type OpenMenu } from './move/MoveMenu.tsx';
import { dropOf, useDragging } from './move/use-dragging.ts';
import { useMoves } from './move/use-moves.ts';
import { CreateTaskDialog } from './task/CreateTaskDialog.tsx';
import { TaskDialog } from './task/TaskDialog.tsx';
import { usePeople } from './use-assignees.ts';
import { useBoardKeys } from './use-board-keys.ts';
import { useNewTaskKey } from './use-new-task-key.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

/** The tasks of a project in six columns. The open task is in the address. */
export function Board({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const { task: openId } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: told, error, refetch } = useQuery(tasksQuery(projectId));
  const { shown: tasks, move, failure, said } = useMoves(projectId, told);
  const { members, nameable } = usePeople(projectId);
  const { data: sessions = {} } = useQuery(agentSessionsQuery(projectId));
  const [creatingIn, setCreatingIn] = useState<TaskStatus>();
  const [menu, setMenu] = useState<OpenMenu>();
  const { canWrite, isReadOnly } = useWriteAccess(projectId);
  const columns = useMemo(() => columnsOf(tasks ?? []), [tasks]);
  const dragging = useDragging(tasks, move);
  const openMenu = useCallback(
    (task: Task, button: HTMLElement) => setMenu({ taskId: task.id, anchor: button.getBoundingClientRect() }),
    [],
  );
  const keyboard = useBoardKeys({
    columns,
    canWrite,
    move,
    openMenu,
    openTask: (task) => void navigate({ to: '.', search: (search) => ({ ...search, task }) }),
  });
  useNewTaskKey(canWrite, () => setCreatingIn('backlog'));

  const menuTask = menu && tasks?.find((task) => task.id === menu.taskId);
  const isEmpty = tasks?.length === 0;
  const create = canWrite ? setCreatingIn : undefined;
  return (
    <div className="flex h-full flex-col">
      {canWrite && (
        <TabTools>
          <NewTaskButton onClick={() => setCreatingIn('backlog')} />
        </TabTools>
      )}
      {error && <ErrorNote error={error} onRetry={() => void refetch()} className="m-4" />}
      {failure && <MoveError failure={failure} onRetry={move} />}
      {!tasks && !error && (
        <div className="p-4">
          <PhaseLine>{t('common.loading')}</PhaseLine>
        </div>
      )}
      <div
        {...keyboard.handlers}
        // Without a card or a button in it nothing else takes the focus of who scrolls it by keyboard.
        tabIndex={isEmpty && !canWrite ? 0 : undefined}
        className={clsx(
          'grid snap-x snap-proximity auto-cols-[minmax(200px,1fr)] grid-flow-col gap-2 overflow-x-auto scroll-px-4 px-4 pt-3 pb-4 max-sm:snap-mandatory max-sm:auto-cols-[calc(100%-24px)]',
          isEmpty ? 'flex-none' : 'min-h-0 flex-1 grid-rows-[minmax(0,1fr)]',
          !tasks && 'hidden',
        )}
      >
        {TASK_STATUSES.map((status) => (
          <BoardColumn
            key={status}
            status={status}
            count={columns[status].length}
            drop={dropOf(dragging, status)}
            isBoardEmpty={isEmpty}
            onCreate={create}
            renderCard={(index) => {
              const task = columns[status][index];
              if (!task) return null;
              const { id, assigneeId } = task;
              return (
                <TaskCard
                  key={id}
                  task={task}
                  assignee={assigneeId === undefined ? undefined : nameable.get(assigneeId)}
                  session={assigneeId === undefined ? undefined : sessions[assigneeId]}
                  canMove={canWrite}
                  isOpen={id === openId}
                  isTabStop={keyboard.tabStops[status] === id}
                  onMenu={openMenu}
                />
              );
            }}
          />
        ))}
      </div>
      {isEmpty && (
        <div className="px-5 pt-2">
          <EmptyState
            icon="board"
            title={t('board.emptyTitle')}
            action={canWrite && <NewTaskButton onClick={() => setCreatingIn('backlog')} isFirst />}
          >
            {t(
              isReadOnly === 'archived'
                ? 'projects.statusNote.archived'
                : isReadOnly === 'viewer'
                  ? 'board.emptyTextViewer'
                  : 'board.emptyText',
            )}
          </EmptyState>
        </div>
      )}
      <p role="status" className="sr-only">
        {said}
      </p>
      <MoveMenu
        task={menuTask}
        anchor={menu?.anchor}
        onMove={(task, to) => {
          keyboard.keepFocusOn(task.id);
          move({ task, to });
        }}
        onClose={() => {
          setMenu(undefined);
          if (menu) keyboard.focus(menu.taskId);
        }}
      />
      {creatingIn && (
        <CreateTaskDialog
          projectId={projectId}
          status={creatingIn}
          members={members}
          onClose={() => setCreatingIn(undefined)}
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

function NewTaskButton({ onClick, isFirst = false }: { onClick: () => void; isFirst?: boolean }) {
  const { t } = useTranslation();
  return (
    <Button
      variant="primary"
      size={isFirst ? 'md' : 'sm'}
      icon="plus"
      data-testid={isFirst ? 'task-new-first' : 'task-new'}
      aria-keyshortcuts="c"
      onClick={onClick}
    >
      {t('board.newTask')}
      {!isFirst && (
        <span
          aria-hidden="true"
          className="ml-0.5 rounded-sm border border-current px-1 font-mono text-11 leading-[14px] pointer-coarse:hidden"
        >
          c
        </span>
      )}
    </Button>
  );
}
