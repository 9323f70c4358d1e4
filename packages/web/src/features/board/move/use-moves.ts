import type { Task, TaskStatus } from '@aizuchi/shared/contract/task';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../../../lib/toast.ts';
import { columnsOf } from '../columns.ts';
import { type Move, useMoveTask } from '../task/use-task-mutations.ts';
import { type Place, positionAt } from './place.ts';
import { useWay } from './use-way-words.ts';

export interface MoveFailure extends Move {
  readonly error: unknown;
  readonly dismiss: () => void;
}

interface PendingMove {
  readonly to: TaskStatus;
  readonly after: Place | undefined;
}
type PendingMoves = ReadonlyMap<string, PendingMove>;

/**
 * Optimistic moves. One that the state machine does not allow is refused with words. Pending moves are applied on top of the tasks of the
 * server: a card is in its new place at once, a read in between does not undo that, and a refused move does.
 * `announcement`: the last move in words, also one that was refused, for screen readers.
 */
export function useMoves(projectId: string, serverTasks: readonly Task[] | undefined) {
  const { t } = useTranslation();
  const { mutateAsync } = useMoveTask(projectId);
  const wayOf = useWay();
  const [pending, setPending] = useState<PendingMoves>(new Map());
  const [failed, setFailed] = useState<Move & { readonly error: unknown }>();
  const [announcement, setAnnouncement] = useState('');
  /** Who has left the board meanwhile is told that the card is where it was. */
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const move = useCallback(
    (one: Move) => {
      const { task, to, after } = one;
      if (task.status === to && after === undefined) return;
      const own = { to, after };
      const names = { title: task.title, column: t(`board.status.${to}`) };
      const columns = wayOf(task.status, to);
      if (columns !== undefined) {
        const words = t('board.notMoved', { ...names, columns });
        setAnnouncement(words);
        // With an id the next one takes its place.
        toast(words, { id: 'not-moved' });
        return;
      }
      setFailed(undefined);
      setAnnouncement(t('board.moved', names));
      setPending((all) => new Map(all).set(task.id, own));
      mutateAsync(one)
        .catch((error: unknown) => {
          if (isOpen.current) setFailed({ ...one, error });
          else toast.error(t('board.moveFailed', names));
        })
        .finally(() => setPending((all) => without(all, task.id, own)));
    },
    [mutateAsync, t, wayOf],
  );
  const tasks = useMemo(() => serverTasks && withPendingMoves(serverTasks, pending), [serverTasks, pending]);
  const failure: MoveFailure | undefined = failed && { ...failed, dismiss: () => setFailed(undefined) };
  return { tasks, move, failure, announcement };
}

/** Removes this move; a later move of the same card stays. */
function without(all: PendingMoves, id: string, own: PendingMove): PendingMoves {
  if (all.get(id) !== own) return all;
  const rest = new Map(all);
  rest.delete(id);
  return rest;
}

function withPendingMoves(tasks: readonly Task[], pending: PendingMoves): readonly Task[] {
  if (pending.size === 0) return tasks;
  const columns = columnsOf(tasks);
  return tasks.map((task) => {
    const move = pending.get(task.id);
    if (!move) return task;
    const { to, after } = move;
    if (after === undefined && to === task.status) return task;
    const position = after === undefined ? Number.MAX_SAFE_INTEGER : positionAt(columns[to], task.id, after);
    return { ...task, status: to, position };
  });
}
