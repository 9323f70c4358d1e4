import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { Task, TaskStatus } from '@aizuchi/shared/contract/task';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useShortcut } from '../../lib/hooks/use-shortcut.ts';
import { agentSessionsQuery, tasksQuery } from '../../lib/queries/queries.ts';
import { useWriteAccess } from '../../lib/queries/use-write-access.ts';
import { whenLoaded } from '../../lib/queries/when-loaded.ts';
import { columnsOf } from './columns.ts';
import { useTaskFilter } from './filter/use-task-filter.ts';
import { MoveMenu } from './move/lazy-move-menu.ts';
import type { OpenMenu } from './move/MoveMenu.tsx';
import { useDragging } from './move/use-dragging.ts';
import { useMoves } from './move/use-moves.ts';
import { preloadTask } from './task/lazy-task.ts';
import { useAssignees } from './use-assignees.ts';
import { useBoardKeys } from './use-board-keys.ts';
import { useStrips } from './work/use-strips.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

const NO_SESSIONS: Readonly<Record<string, AgentSessionView>> = {};

/** Tasks by column, moves by pointer, key and menu, and what is open. The open task is in the address. */
export function useBoard(projectId: string) {
  const { task: openId, add } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: serverTasks, error, refetch } = useQuery(tasksQuery(projectId));
  const { tasks, move, failure, announcement } = useMoves(projectId, serverTasks);
  const { members, namedAgents } = useAssignees(projectId);
  const { data: sessions = NO_SESSIONS } = useQuery(agentSessionsQuery(projectId));
  const [creatingIn, setCreatingIn] = useState<TaskStatus>();
  const [menu, setMenu] = useState<OpenMenu>();
  const { canWrite, isReadOnly } = useWriteAccess(projectId);
  const filter = useTaskFilter(tasks);
  const { filtered } = filter;
  const columns = useMemo(() => columnsOf(filtered ?? []), [filtered]);
  const strips = useStrips(projectId, tasks, sessions);
  const dragging = useDragging(columns, move);
  const openMenu = useCallback((task: Task, button: HTMLElement) => {
    void MoveMenu.preload().then(() => {
      // Else it would open at another time, unasked.
      if (!MoveMenu.code.get()) setMenu(undefined);
    });
    setMenu({ taskId: task.id, anchor: button.getBoundingClientRect() });
  }, []);
  const openTask = (task: string) =>
    void navigate({ to: '.', search: ({ comment: _comment, ...search }) => ({ ...search, task }) });
  const keyboard = useBoardKeys({
    columns,
    canWrite,
    move,
    openMenu,
    openTask,
  });
  const [isIdle, setIsIdle] = useState(false);
  useEffect(
    () =>
      whenLoaded(() => {
        setIsIdle(true);
        void preloadTask();
      }),
    [],
  );
  useShortcut('c', () => canWrite && setCreatingIn('backlog'));
  return {
    tasks,
    columns,
    filter,
    strips,
    error,
    refetch,
    members,
    namedAgents,
    sessions,
    canWrite,
    isReadOnly,
    isEmpty: tasks?.length === 0,
    openId,
    columnOfOpen: columns[tasks?.find(({ id }) => id === openId)?.status ?? 'backlog'],
    openTask,
    closeTask: async () => {
      await navigate({ to: '.', search: ({ task: _task, comment: _comment, ...search }) => search });
      if (openId !== undefined) keyboard.focus(openId);
    },
    keyboard,
    dragging,
    move,
    failure,
    announcement,
    // `?add=task`: from the command menu.
    creatingIn: creatingIn ?? (add === 'task' && canWrite ? ('backlog' as const) : undefined),
    setCreatingIn: (status: TaskStatus | undefined) => {
      setCreatingIn(status);
      if (add === 'task')
        void navigate({ to: '.', search: ({ add: _add, ...search }) => search, replace: true });
    },
    openMenu,
    // Before it is open, so that it knows whether a key opens it.
    hasMenu: isIdle || menu !== undefined,
    menuTask: menu && tasks?.find((task) => task.id === menu.taskId),
    menuAnchor: menu?.anchor,
    moveFromMenu: (task: Task, to: TaskStatus) => {
      keyboard.keepFocusOn(task.id);
      move({ task, to });
    },
    closeMenu: () => {
      setMenu(undefined);
      if (menu) keyboard.focus(menu.taskId);
    },
  };
}
