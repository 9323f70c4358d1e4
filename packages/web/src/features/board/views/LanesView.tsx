import type { Agent } from '@aizuchi/shared/contract/agent';
import { TASK_STATUSES, type TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';
import clsx from 'clsx';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { Refusal } from '../BoardColumn.tsx';
import { StatusIcon } from '../card/StatusIcon.tsx';
import { columnsOf } from '../columns.ts';
import type { Drop } from '../move/use-dragging.ts';
import { useDropTarget } from '../move/use-drop-target.ts';
import { type Lane, lanesOf } from './lanes.ts';
import type { ViewProps } from './view-props.ts';

export interface LanesViewProps extends ViewProps {
  readonly members: readonly Agent[];
  readonly namedAgents: ReadonlyMap<string, Agent>;
  readonly dropOf: (status: TaskStatus) => Drop;
  readonly refusalOf: (status: TaskStatus) => string | undefined;
}

/** A lane for each assignee, agents first; in it the columns. */
export function LanesView({ tasks, members, namedAgents, dropOf, refusalOf, renderCard }: LanesViewProps) {
  const lanes = useMemo(() => {
    const order = members.toSorted((a, b) => Number(a.type === 'human') - Number(b.type === 'human'));
    return lanesOf(
      tasks,
      order.map(({ id }) => id),
    );
  }, [tasks, members]);
  return (
    <div data-testid="board-lanes" className="flex min-w-fit flex-col gap-4 p-4">
      {lanes.map((lane) => (
        <LaneRow
          key={lane.assigneeId ?? ''}
          lane={lane}
          assignee={lane.assigneeId === undefined ? undefined : namedAgents.get(lane.assigneeId)}
          dropOf={dropOf}
          refusalOf={refusalOf}
          renderCard={renderCard}
        />
      ))}
    </div>
  );
}

interface LaneRowProps extends Pick<LanesViewProps, 'dropOf' | 'refusalOf' | 'renderCard'> {
  readonly lane: Lane;
  readonly assignee: Agent | undefined;
}

function LaneRow({ lane: { assigneeId, tasks }, assignee, dropOf, refusalOf, renderCard }: LaneRowProps) {
  const { t } = useTranslation();
  const columns = useMemo(() => columnsOf(tasks), [tasks]);
  const name = assignee?.name ?? assigneeId ?? t('board.nobody');
  return (
    <section
      aria-label={name}
      data-testid={`lane-${assigneeId ?? 'none'}`}
      className="flex flex-col gap-2 border-b border-line pb-4 [contain-intrinsic-size:auto_200px] [content-visibility:auto]"
    >
      <h2 className="sticky left-4 flex w-fit items-center gap-2 text-13 font-semibold">
        {assigneeId !== undefined && <Avatar name={name} type={assignee?.type ?? 'ai'} size={20} />}
        {name}
        <span className="num font-normal text-ink-3">{tasks.length}</span>
      </h2>
      <div className="grid auto-cols-[minmax(200px,1fr)] grid-flow-col gap-2">
        {TASK_STATUSES.filter((status) => status !== 'cancelled').map((status) => (
          <LaneColumn key={status} status={status} drop={dropOf(status)} refusal={refusalOf(status)}>
            {columns[status].map(renderCard)}
          </LaneColumn>
        ))}
      </div>
    </section>
  );
}

interface LaneColumnProps {
  readonly status: TaskStatus;
  readonly drop: Drop;
  readonly refusal: string | undefined;
  readonly children: readonly ReactNode[];
}

function LaneColumn({ status, drop, refusal, children }: LaneColumnProps) {
  const { t } = useTranslation();
  const { element, isOver } = useDropTarget(status);
  return (
    <div
      ref={element}
      data-drop={drop}
      className={clsx(
        'relative flex min-w-0 flex-col gap-1 rounded-md',
        drop === 'refused' && '[&>:not([data-why])]:opacity-40',
        isOver && drop === 'possible' && 'bg-accent-soft outline outline-accent',
      )}
    >
      <h3 className="flex h-6 items-center gap-1.5 text-12 text-ink-2">
        <StatusIcon status={status} />
        {t(`board.status.${status}`)}
        <span className="num text-ink-3">{children.length}</span>
      </h3>
      {refusal !== undefined && <Refusal>{refusal}</Refusal>}
      {children.length > 0 && (
        <ul data-long className="-mx-1 flex max-h-96 flex-col gap-2 overflow-y-auto p-1">
          {children}
        </ul>
      )}
    </div>
  );
}
