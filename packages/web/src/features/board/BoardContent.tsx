import type { Task } from '@aizuchi/shared/contract/task';
import clsx from 'clsx';
import { Suspense, useCallback } from 'react';
import { BoardColumns } from './BoardColumns.tsx';
import { TaskCard } from './card/TaskCard.tsx';
import { dropOf } from './move/use-dragging.ts';
import { useWayWords } from './move/use-way-words.ts';
import type { useBoard } from './use-board.ts';
import { LanesView, ProblemsView } from './views/lazy-views.ts';

interface BoardContentProps {
  readonly projectId: string;
  readonly board: ReturnType<typeof useBoard>;
}

/** The cards: in columns, in a lane for each assignee, or only what does not go on. */
export function BoardContent({ projectId, board }: BoardContentProps) {
  const { isEmpty, canWrite, keyboard, strips, openId, openMenu, namedAgents, sessions, dragging } = board;
  const wayWords = useWayWords();
  const { view, today, filtered = [] } = board.filter;
  const card = useCallback(
    (task: Task, isTabStop: boolean) => {
      const { id, assigneeId } = task;
      return (
        <TaskCard
          key={id}
          task={task}
          assignee={assigneeId === undefined ? undefined : namedAgents.get(assigneeId)}
          session={assigneeId === undefined ? undefined : sessions[assigneeId]}
          strip={strips.get(id)}
          canMove={canWrite}
          isOpen={id === openId}
          isTabStop={isTabStop}
          onMenu={openMenu}
        />
      );
    },
    [namedAgents, sessions, strips, canWrite, openId, openMenu],
  );
  if (view === undefined)
    return (
      <div
        {...keyboard.handlers}
        // Without a card or a button in it, it must itself take the focus to be scrolled by keyboard.
        tabIndex={isEmpty && !canWrite ? 0 : undefined}
        className={clsx(
          // Positioned, so that it clips texts for screen readers: else they widen the page.
          'relative grid snap-x snap-proximity auto-cols-[minmax(200px,1fr)] grid-flow-col gap-2 overflow-x-auto scroll-px-4 px-4 pt-3 pb-4 max-sm:snap-mandatory max-sm:auto-cols-[calc(100%-24px)]',
          isEmpty ? 'flex-none' : 'min-h-0 flex-1 grid-rows-[minmax(0,1fr)]',
          !board.tasks && 'hidden',
        )}
      >
        <BoardColumns projectId={projectId} board={board} renderCard={card} />
      </div>
    );
  const cardInView = (task: Task) => card(task, true);
  return (
    <div
      {...keyboard.handlers}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
      tabIndex={0}
      className="relative min-h-0 flex-1 overflow-auto -outline-offset-2"
    >
      <Suspense fallback={null}>
        {view === 'agents' ? (
          <LanesView
            tasks={filtered}
            strips={strips}
            members={board.members}
            namedAgents={namedAgents}
            dropOf={(status) => dropOf(dragging?.status, status)}
            refusalOf={(status) => dragging && wayWords(dragging.status, status)}
            renderCard={cardInView}
          />
        ) : (
          <ProblemsView tasks={filtered} strips={strips} today={today} renderCard={cardInView} />
        )}
      </Suspense>
    </div>
  );
}
