import {
  TRANSFER_FORMAT,
  TRANSFER_VERSION,
  type TransferLine,
  type TransferLineOf,
} from '../../../contract/transfer.ts';
import type { Database } from '../../../platform/db/database.ts';
import { type Person, projectNotFound, requireMember } from '../../access/person.ts';
import { TaskQueries, type TaskRow } from '../../tasks/task-queries.ts';
import { ProjectQueries, type StoredProject } from '../project-queries.ts';
import {
  type ExportedAgent,
  exportedAgents,
  exportedAttempts,
  exportedComments,
  exportedContexts,
  exportedHistory,
  exportedMembers,
} from './export-queries.ts';
import { FileSoFar } from './file-so-far.ts';

/** Tasks that are written together with what hangs on them; each has at most 202 kB. */
const PAGE_TASKS = 50;

/**
 * Writes a project as lines, in pieces, and holds one page of it at a time. No transaction lasts longer than a page:
 * a client may be slow. What changes meanwhile is in the file as it was when its page was read; tasks that were deleted
 * meanwhile are named by the end line, and a link that was turned round meanwhile is left out.
 */
export class ProjectExport {
  readonly #database: Database;

  constructor(deps: { readonly database: Database }) {
    this.#database = deps.database;
  }

  /** Checks the caller before the first piece. @throws AppError project_not_found */
  async export(person: Person, projectId: string): Promise<AsyncIterable<string>> {
    const { db } = this.#database;
    await requireMember(db, person, projectId);
    const project = await new ProjectQueries(db).find(projectId);
    if (!project) throw projectNotFound();
    return this.#pieces(person, project, (await this.#database.now()).toISOString());
  }

  async *#pieces(person: Person, project: StoredProject, exportedAt: string): AsyncGenerator<string> {
    const file = new FileSoFar();
    yield file.write([
      { type: 'header', format: TRANSFER_FORMAT, version: TRANSFER_VERSION, exportedAt },
      projectLine(project),
    ]);
    for await (const lines of this.#members(project.id)) yield file.write(lines);
    const reviewers = await this.#strangers([project.reviewerId], file);
    if (reviewers.length > 0) yield file.write(reviewers);
    for await (const tasks of this.#tasks(person, project.id)) {
      const strangers = await this.#strangers(tasks.flatMap(agentsOfTask), file);
      yield file.write([...strangers, ...tasks.map(taskLine)]);
      const ids = tasks.map(({ id }) => id);
      for await (const lines of this.#records(ids)) {
        const named = await this.#strangers(lines.flatMap(agentsOfRecord), file);
        yield file.write([...named, ...lines]);
      }
    }
    yield file.end();
  }

  async *#members(projectId: string): AsyncGenerator<TransferLine[]> {
    let behind = '';
    for (;;) {
      const members = await exportedMembers(this.#database.db, projectId, behind);
      const last = members.at(-1);
      if (!last) return;
      behind = last.id;
      yield members.map(agentLine);
    }
  }

  async *#tasks(person: Person, projectId: string): AsyncGenerator<TaskRow[]> {
    const tasks = new TaskQueries(this.#database.db);
    let cursor: string | undefined;
    do {
      // The export of a large project lasts; a right that was taken meanwhile ends it.
      await requireMember(this.#database.db, person, projectId);
      const { rows, nextCursor } = await tasks.list({ projectId }, { limit: PAGE_TASKS, cursor });
      if (rows.length > 0) yield rows;
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  async *#records(taskIds: readonly string[]): AsyncGenerator<RecordLine[]> {
    const { db } = this.#database;
    for await (const rows of pages((place: Row<typeof exportedComments>) =>
      exportedComments(db, taskIds, place),
    ))
      yield rows.map(({ taskId, authorId, body, createdAt }) => ({
        type: 'comment',
        taskId,
        ...(authorId !== null && { authorId }),
        body,
        createdAt: createdAt.toISOString(),
      }));
    for await (const rows of pages((place: Row<typeof exportedHistory>) =>
      exportedHistory(db, taskIds, place),
    ))
      yield rows.flatMap(({ taskId, byId, field, fromValue: from, toValue: to, createdAt }) =>
        field === undefined
          ? []
          : [
              {
                type: 'history',
                taskId,
                ...(byId !== null && { byId }),
                field,
                from,
                to,
                createdAt: createdAt.toISOString(),
              },
            ],
      );
    for await (const rows of pages((place: Row<typeof exportedAttempts>) =>
      exportedAttempts(db, taskIds, place),
    ))
      yield rows.map(({ taskId, n, agentId, startedAt, endedAt, outcome, summary }) => ({
        type: 'attempt',
        taskId,
        n,
        agentId,
        startedAt: startedAt.toISOString(),
        ...(endedAt !== null && { endedAt: endedAt.toISOString() }),
        ...(outcome && { outcome }),
        ...(summary !== null && { summary }),
      }));
    for await (const rows of pages((place: Row<typeof exportedContexts>) =>
      exportedContexts(db, taskIds, place),
    ))
      yield rows.map(({ taskId, agentId, attempt, body, createdAt }) => ({
        type: 'context',
        taskId,
        ...(attempt !== null && { attempt }),
        ...(agentId !== null && { agentId }),
        body,
        createdAt: createdAt.toISOString(),
      }));
  }

  /** Those that the next lines name and no line before. */
  async #strangers(ids: readonly (string | undefined)[], file: FileSoFar): Promise<TransferLine[]> {
    const unknown = new Set(ids.filter((id) => id !== undefined && !file.agents.has(id)));
    const named = [...unknown].filter((id) => id !== undefined);
    return named.length === 0 ? [] : (await exportedAgents(this.#database.db, named)).map(agentLine);
  }
}

type RecordLine = TransferLineOf<'comment' | 'history' | 'attempt' | 'context'>;
/** The row behind which a page begins. */
type Row<F extends (...args: never[]) => Promise<readonly unknown[]>> =
  | Awaited<ReturnType<F>>[number]
  | undefined;

async function* pages<T>(read: (behind: T | undefined) => Promise<T[]>): AsyncGenerator<T[]> {
  for (let rows = await read(undefined); rows.length > 0; rows = await read(rows.at(-1))) yield rows;
}

function projectLine(project: StoredProject): TransferLine {
  const { name, description, permissionPolicy, isolation, reviewerId, egress } = project;
  return {
    type: 'project',
    name,
    ...(description !== undefined && { description }),
    permissionPolicy,
    isolation,
    ...(reviewerId !== undefined && { reviewerId }),
    ...(egress !== undefined && { egress }),
  };
}

function agentLine({ id, name, type, isMember }: ExportedAgent): TransferLine {
  return { type: 'agent', id, name, kind: type === 'ai' ? 'ai' : 'human', member: isMember };
}

function taskLine(task: TaskRow): TransferLine {
  const { id, title, description, status, priority, dependsOn, labels, position } = task;
  const { assigneeId, parentId, dueDate, createdBy, createdAt, updatedAt } = task;
  return {
    type: 'task',
    id,
    title,
    description,
    status,
    priority,
    ...(assigneeId !== undefined && { assigneeId }),
    ...(parentId !== undefined && { parentId }),
    dependsOn,
    labels,
    ...(dueDate !== undefined && { dueDate }),
    position,
    ...(createdBy !== undefined && { createdBy }),
    createdAt,
    updatedAt,
  };
}

function agentsOfTask({ assigneeId, createdBy }: TaskRow): (string | undefined)[] {
  return [assigneeId, createdBy];
}

/** A history also names agents by its values: of the assignee. */
function agentsOfRecord(line: RecordLine): (string | undefined)[] {
  switch (line.type) {
    case 'comment':
      return [line.authorId];
    case 'history':
      return [
        line.byId,
        ...(line.field === 'assigneeId' ? [line.from ?? undefined, line.to ?? undefined] : []),
      ];
    case 'attempt':
    case 'context':
      return [line.agentId];
  }
}
