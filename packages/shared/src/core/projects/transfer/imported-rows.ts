import type { TransferLineOf } from '../../../contract/transfer.ts';
import { type IdPrefix, newId } from '../../../platform/ids.ts';
import { isClosed } from '../../tasks/rules/task-status.ts';
import type {
  ImportedAttempt,
  ImportedChange,
  ImportedComment,
  ImportedContext,
  ImportedTask,
} from './import-queries.ts';
import type { Transfer } from './read-transfer.ts';

/** Whom the agents of a file are here. */
export interface AgentsHere {
  /** The id here of an id in the file; nobody: undefined. */
  find(id: string | undefined): string | undefined;
  /** The name that the file gives to an id. */
  nameOf(id: string): string;
  /** Whether open tasks of the new project may be theirs: members and owners. */
  isAssignable(id: string): boolean;
}

export interface ImportedRows {
  readonly tasks: ImportedTask[];
  readonly parents: { readonly id: string; readonly parent_id: string }[];
  readonly dependencies: { readonly task_id: string; readonly depends_on_id: string }[];
  readonly comments: ImportedComment[];
  readonly history: ImportedChange[];
  readonly attempts: ImportedAttempt[];
  readonly contexts: ImportedContext[];
}

/** The rows of a file under new ids. `now`: the end of attempts that were open. */
export function importedRows(transfer: Transfer, agents: AgentsHere, now: Date): ImportedRows {
  const ids = new Map(
    pairs(
      transfer.tasks.map(({ id }) => id),
      freshIds('tsk', transfer.tasks.length),
    ),
  );
  const idOf = (id: string) => ids.get(id) ?? id;
  const here = (id: string | undefined) => agents.find(id) ?? null;
  return {
    tasks: transfer.tasks.map((task) => taskRow(task, idOf(task.id), agents)),
    parents: transfer.tasks.flatMap(({ id, parentId }) =>
      parentId === undefined ? [] : [{ id: idOf(id), parent_id: idOf(parentId) }],
    ),
    dependencies: transfer.tasks.flatMap(({ id, dependsOn }) =>
      dependsOn.map((other) => ({ task_id: idOf(id), depends_on_id: idOf(other) })),
    ),
    comments: withIds('cmt', transfer.comments, (line) => ({
      task_id: idOf(line.taskId),
      author_id: here(line.authorId),
      body: signed(line, agents),
      created_at: line.createdAt,
    })),
    history: withIds('his', transfer.history, (line) => ({
      task_id: idOf(line.taskId),
      by_id: here(line.byId),
      field: line.field,
      from_value: historyValue(line.field, line.from, { idOf, agents }),
      to_value: historyValue(line.field, line.to, { idOf, agents }),
      created_at: line.createdAt,
    })),
    attempts: transfer.attempts.flatMap((line) => attemptRow(line, idOf(line.taskId), { agents, now })),
    contexts: withIds('ctx', transfer.contexts, (line) => ({
      task_id: idOf(line.taskId),
      attempt: line.attempt ?? null,
      agent_id: here(line.agentId),
      body: line.body,
      created_at: line.createdAt,
    })),
  };
}

function taskRow(task: Transfer['tasks'][number], id: string, agents: AgentsHere): ImportedTask {
  const assignee = agents.find(task.assigneeId);
  const isKept = assignee !== undefined && (isClosed(task.status) || agents.isAssignable(assignee));
  return {
    id,
    title: task.title,
    description: task.description,
    status: task.status,
    priority: task.priority,
    assignee_id: isKept ? assignee : null,
    labels: task.labels,
    due_date: task.dueDate ?? null,
    position: task.position,
    created_by: agents.find(task.createdBy) ?? null,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
  };
}

/** A comment without an author is one of the product: of somebody unknown it says the name. */
function signed({ authorId, body }: TransferLineOf<'comment'>, agents: AgentsHere): string {
  if (authorId === undefined || agents.find(authorId) !== undefined) return body;
  return `${agents.nameOf(authorId)}:\n\n${body}`;
}

/** Ids in the values of a history are those of here, where there are any. */
function historyValue(
  field: TransferLineOf<'history'>['field'],
  value: string | null,
  { idOf, agents }: { idOf: (id: string) => string; agents: AgentsHere },
): string | null {
  if (value === null) return null;
  if (field === 'assigneeId') return agents.find(value) ?? value;
  if (field === 'parentId') return idOf(value);
  return field === 'dependsOn' ? value.split(', ').map(idOf).sort().join(', ') : value;
}

/** An attempt belongs to an agent: of one that is not here there is none. */
function attemptRow(
  line: TransferLineOf<'attempt'>,
  taskId: string,
  { agents, now }: { agents: AgentsHere; now: Date },
): ImportedAttempt[] {
  const agentId = agents.find(line.agentId);
  if (agentId === undefined) return [];
  return [
    {
      task_id: taskId,
      n: line.n,
      agent_id: agentId,
      started_at: line.startedAt,
      ended_at: line.endedAt ?? now.toISOString(),
      outcome: line.outcome ?? 'stopped',
      summary: line.summary ?? null,
    },
  ];
}

function withIds<L, R>(prefix: IdPrefix, lines: readonly L[], toRow: (line: L) => R): (R & { id: string })[] {
  const ids = freshIds(prefix, lines.length);
  return pairs(lines, ids).map(([line, id]) => ({ ...toRow(line), id }));
}

/** In their order: rows of the same moment are listed by their ids. */
function freshIds(prefix: IdPrefix, count: number): string[] {
  return Array.from({ length: count }, () => newId(prefix)).sort();
}

function pairs<A, B>(left: readonly A[], right: readonly B[]): [A, B][] {
  return left.flatMap((one, index) => {
    const other = right[index];
    return other === undefined ? [] : [[one, other]];
  });
}
