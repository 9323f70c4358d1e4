import type { Agent } from '@aizuchi/shared/contract/agent';
import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { Task } from '@aizuchi/shared/contract/task';
import { isClosed } from '@aizuchi/shared/core/tasks/rules/task-status';
import { isolated } from '@aizuchi/shared/platform/texts/isolated';
import clsx from 'clsx';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { IconButton } from '../../../components/Button.tsx';
import { ringOf, useStateWord } from '../../presence/presence.ts';
import { CardFacts, CardLabels } from './CardFacts.tsx';
import { CardStrip } from './CardStrip.tsx';
import { type Strip, showsRing } from './card-strip.ts';
import { useDraggable } from './use-draggable.ts';

interface TaskCardProps {
  readonly task: Task;
  readonly assignee: Agent | undefined;
  readonly session: AgentSessionView | undefined;
  readonly strip: Strip | undefined;
  readonly canMove: boolean;
  readonly isOpen: boolean;
  /** The one card of its column that Tab reaches; the arrow keys lead to the others. */
  readonly isTabStop: boolean;
  readonly onMenu: (task: Task, button: HTMLElement) => void;
}

/**
 * There may be a thousand cards: they have no tooltip, menu or router link of their own (the board opens the task), and
 * in long columns the browser lays out only those in view.
 */
export const TaskCard = memo(function TaskCard(props: TaskCardProps) {
  const { task, assignee, session, strip, canMove, isOpen, isTabStop, onMenu } = props;
  const { t } = useTranslation();
  const { element, isDragging, edge } = useDraggable(task, canMove);
  const isOver = isClosed(task.status);
  return (
    <li
      ref={element}
      data-testid={`task-card-${task.id}`}
      data-task={task.id}
      data-edge={edge}
      className={clsx(
        'group relative flex flex-none flex-col rounded-md border bg-surface in-data-long:[contain-intrinsic-size:auto_82px] in-data-long:[content-visibility:auto] hover:border-line-strong has-[a:focus-visible]:outline-2 has-[a:focus-visible]:outline-offset-1 has-[a:focus-visible]:outline-accent data-[edge=bottom]:border-b-accent data-[edge=top]:border-t-accent',
        isOpen ? 'border-line-strong' : 'border-line',
        isDragging && 'opacity-50',
      )}
    >
      <div className="flex flex-col gap-2 px-2.5 py-2">
        <a
          href={`?task=${encodeURIComponent(task.id)}`}
          draggable={false}
          tabIndex={isTabStop ? 0 : -1}
          className={clsx(
            'line-clamp-3 text-13 text-pretty wrap-anywhere outline-none after:absolute after:inset-0 after:rounded-md',
            isOver ? 'text-ink-2' : 'font-medium',
          )}
        >
          {task.title}
        </a>
        <CardLabels labels={task.labels} />
        <div className="num flex h-5 items-center gap-2 text-11 text-ink-3">
          <CardFacts task={task} isOver={isOver} />
          {canMove && (
            <span className="relative z-1 -my-1 opacity-0 group-hover:opacity-100 has-[:focus-visible]:opacity-100 pointer-coarse:opacity-100">
              <IconButton
                icon="more"
                label={t('board.moveNamed', { title: task.title })}
                aria-haspopup="menu"
                tabIndex={isTabStop ? 0 : -1}
                onClick={(event) => onMenu(task, event.currentTarget)}
              />
            </span>
          )}
          {task.assigneeId !== undefined && (
            <Assignee id={task.assigneeId} assignee={assignee} session={session} task={task} />
          )}
        </div>
      </div>
      {strip && <CardStrip {...strip} />}
    </li>
  );
});

interface AssigneeProps {
  readonly id: string;
  readonly assignee: Agent | undefined;
  readonly session: AgentSessionView | undefined;
  readonly task: Task;
}

function Assignee({ id, assignee, session, task }: AssigneeProps) {
  const word = useStateWord();
  const name = assignee?.name ?? id;
  const isAgent = assignee?.type !== 'human';
  const hasRing = isAgent && showsRing(task.status);
  const label = hasRing ? `${isolated(name)}: ${word(session)}` : name;
  return (
    <span title={label} className="mr-0.5 flex text-ink">
      <Avatar
        name={name}
        type={isAgent ? 'ai' : 'human'}
        size={16}
        state={hasRing ? ringOf(session) : undefined}
        label={label}
      />
    </span>
  );
}
