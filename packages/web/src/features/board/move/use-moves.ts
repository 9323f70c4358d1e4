import type { Task, TaskStatus } from '@aizuchi/shared/contract/task';
import { TASK_MOVES } from '@aizuchi/shared/core/tasks/rules/task-machine';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Move, useMoveTask } from '../task/use-task-mutations.ts';

export interface MoveFailure extends Move {
  readonly error: unknown;
  readonly dismiss: () => void;
}

type Pending = ReadonlyMap<string, { readonly to: TaskStatus }>;

/**
 * Moving cards, only as the table allows it. What is not answered yet is laid over what the server has told, so that
 * a card stands in its new column at once, no read in between takes it back, and a refusal does.
 */
export function useMoves(projectId: string, tasks: readonly Task[] | undefined) {
  const { t } = useTranslation();
  const { mutateAsync } = useMoveTask(projectId);
  const [pending, setPending] = useState<Pending>(new Map());
  const [failed, setFailed] = useState<Move & { readonly error: unknown }>();
  const [said, setSaid] = useState('');
  const move = useCallback(
    ({ task, to }: Move) => {
      if (task.status === to || !TASK_MOVES[task.status][to]) return;
      const mine = { to };
      setFailed(undefined);
      setSaid(t('board.moved', { title: task.title, column: t(`board.status.${to}`) }));
      setPending((all) => new Map(all).set(task.id, mine));
      mutateAsync({ task, to })
        .catch((error: unknown) => setFailed({ task, to, error }))
        .finally(() => setPending((all) => without(all, task.id, mine)));
    },
    [mutateAsync, t],
  );
  const shown = useMemo(() => tasks && laidOver(tasks, pending), [tasks, pending]);
  const failure: MoveFailure | undefined = failed && { ...failed, dismiss: () => setFailed(undefined) };
  return { shown, move, failure, said };
}

/** A later move of the same card stays. */
function without(all: Pending, id: string, mine: { readonly to: TaskStatus }): Pending {
  if (all.get(id) !== mine) return all;
  const rest = new Map(all);
  rest.delete(id);
  return rest;
}

function laidOver(tasks: readonly Task[], pending: Pending): readonly Task[] {
  if (pending.size === 0) return tasks;
  return tasks.map((task) => {
    const to = pending.get(task.id)?.to;
    return to === undefined || to === task.status ? task : { ...task, status: to };
  });
}
