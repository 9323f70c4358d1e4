import type { Agent } from '@aizuchi/shared/contract/agent';
import type { TaskStatus } from '@aizuchi/shared/contract/task';
import { TASK_PRIORITIES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { useTranslation } from 'react-i18next';
import { Field, Input, Select, TextArea } from '../../../components/Field.tsx';
import type { TaskDraft } from './task-draft.ts';

interface TaskFieldsProps {
  readonly draft: TaskDraft;
  readonly onChange: (change: Partial<TaskDraft>) => void;
  /** The statuses to choose from. */
  readonly statuses: readonly TaskStatus[];
  readonly members: readonly Agent[];
  readonly autoFocus?: boolean;
  /** Whether the text was more than a title, and was taken. */
  readonly onPasteTitle: (text: string) => boolean;
}

type FieldProps = Pick<TaskFieldsProps, 'draft' | 'onChange'>;

/** The fields of a new task. */
export function TaskFields({
  draft,
  onChange,
  statuses,
  members,
  onPasteTitle,
  autoFocus = false,
}: TaskFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field label={t('board.title')}>
        {(control) => (
          <Input
            {...control}
            required
            maxLength={500}
            autoComplete="off"
            autoFocus={autoFocus}
            data-testid="task-title"
            value={draft.title}
            onChange={(event) => onChange({ title: event.target.value })}
            onPaste={(event) => {
              if (onPasteTitle(event.clipboardData.getData('text/plain'))) event.preventDefault();
            }}
          />
        )}
      </Field>
      <Field label={t('board.description')}>
        {(control) => (
          <TextArea
            {...control}
            maxLength={50_000}
            data-testid="task-description"
            value={draft.description}
            onChange={(event) => onChange({ description: event.target.value })}
          />
        )}
      </Field>
      <div className="grid grid-cols-2 gap-4">
        <StatusField draft={draft} onChange={onChange} statuses={statuses} />
        <PriorityField draft={draft} onChange={onChange} />
      </div>
      <AssigneeField draft={draft} onChange={onChange} members={members} />
      <div className="grid grid-cols-2 gap-4">
        <Field label={t('board.labels')} hint={t('board.labelsHint')}>
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              data-testid="task-labels"
              value={draft.labels}
              onChange={(event) => onChange({ labels: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('board.dueDate')}>
          {(control) => (
            <Input
              {...control}
              type="date"
              data-testid="task-due-date"
              value={draft.dueDate}
              onChange={(event) => onChange({ dueDate: event.target.value })}
            />
          )}
        </Field>
      </div>
    </>
  );
}

function StatusField({ draft, onChange, statuses }: FieldProps & Pick<TaskFieldsProps, 'statuses'>) {
  const { t } = useTranslation();
  return (
    <Field label={t('board.column')}>
      {(control) => (
        <Select
          {...control}
          data-testid="task-status"
          value={draft.status}
          onChange={(event) =>
            onChange({ status: statuses.find((one) => one === event.target.value) ?? draft.status })
          }
        >
          {statuses.map((status) => (
            <option key={status} value={status}>
              {t(`board.status.${status}`)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function PriorityField({ draft, onChange }: FieldProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('board.priorityLabel')}>
      {(control) => (
        <Select
          {...control}
          data-testid="task-priority"
          value={draft.priority}
          onChange={(event) =>
            onChange({
              priority: TASK_PRIORITIES.find((one) => one === event.target.value) ?? draft.priority,
            })
          }
        >
          {TASK_PRIORITIES.toReversed().map((priority) => (
            <option key={priority} value={priority}>
              {t(`board.priority.${priority}`)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** An assignee who is no longer a member stays the value, shown by id. */
function AssigneeField({ draft, onChange, members }: FieldProps & Pick<TaskFieldsProps, 'members'>) {
  const { t } = useTranslation();
  const isMember = draft.assigneeId === '' || members.some(({ id }) => id === draft.assigneeId);
  return (
    <Field label={t('board.assignee')}>
      {(control) => (
        <Select
          {...control}
          data-testid="task-assignee"
          value={draft.assigneeId}
          onChange={(event) => onChange({ assigneeId: event.target.value })}
        >
          <option value="">{t('board.nobody')}</option>
          {!isMember && <option value={draft.assigneeId}>{draft.assigneeId}</option>}
          {members.map((member) => (
            <option key={member.id} value={member.id}>
              {member.name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
