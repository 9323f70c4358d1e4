import { TASK_MOVES } from '@aizuchi/shared/domain/task/task-machine';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Move, useMoveTask } from './use-tasks.ts';

export interface MoveFailure extends Move {
  readonly error: unknown;
  readonly dismiss: () => void;
}

/** Moving cards: only as the table allows it, the last failure until it is dismissed, and words for screen readers. */
export function useMoves(projectId: string) {
  const { t } = useTranslation();
  const { mutate } = useMoveTask(projectId);
  const [failed, setFailed] = useState<Move & { readonly error: unknown }>();
  const [said, setSaid] = useState('');
  const move = useCallback(
    ({ task, to }: Move) => {
      if (task.status === to || !TASK_MOVES[task.status][to]) return;
      setFailed(undefined);
      setSaid(t('board.moved', { title: task.title, column: t(`board.status.${to}`) }));
      mutate({ task, to }, { onError: (error) => setFailed({ task, to, error }) });
    },
    [mutate, t],
  );
  const failure: MoveFailure | undefined = failed && { ...failed, dismiss: () => setFailed(undefined) };
  return { move, failure, said };
}
