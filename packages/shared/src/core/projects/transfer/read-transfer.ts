import { storable } from '../../../contract/storable.ts';
import { type TransferLine, type TransferLineOf, transferLineSchema } from '../../../contract/transfer.ts';
import { type Line, LineFault } from '../../memory/import/ndjson-lines.ts';
import { parseLine } from '../../memory/import/parse-line.ts';
import { findCircle, type TaskGraph } from '../../tasks/rules/task-graph.ts';

type Numbered<T> = T & { readonly line: number };

/** What a whole file says; all that it names it also holds. */
export interface Transfer {
  readonly project: TransferLineOf<'project'>;
  readonly agents: readonly TransferLineOf<'agent'>[];
  readonly tasks: readonly Numbered<TransferLineOf<'task'>>[];
  readonly comments: readonly TransferLineOf<'comment'>[];
  readonly history: readonly TransferLineOf<'history'>[];
  readonly attempts: readonly TransferLineOf<'attempt'>[];
  readonly contexts: readonly TransferLineOf<'context'>[];
}

const lineSchema = storable(transferLineSchema);

/** Reads the lines of an export one after the other, and refuses the first that does not fit to those before. */
export class TransferReader {
  readonly #agents = new Map<string, TransferLineOf<'agent'>>();
  readonly #tasks = new Map<string, Numbered<TransferLineOf<'task'>>>();
  readonly #attempts = new Map<string, TransferLineOf<'attempt'>>();
  readonly #comments: TransferLineOf<'comment'>[] = [];
  readonly #history: TransferLineOf<'history'>[] = [];
  readonly #contexts: TransferLineOf<'context'>[] = [];
  #project: Numbered<TransferLineOf<'project'>> | undefined;
  #end: TransferLineOf<'end'> | undefined;
  #lines = 0;
  #last = 0;

  /** @throws LineFault */
  add({ number, bytes }: Line): void {
    this.#last = number;
    const parsed = parseLine(bytes, lineSchema);
    if (!parsed) return;
    if ('fault' in parsed) throw new LineFault(number, parsed.fault);
    const fault = this.#faultOfPlace(parsed.value) ?? this.#take(parsed.value, number);
    if (fault !== undefined) throw new LineFault(number, fault);
    this.#lines += 1;
  }

  /** Throws LineFault also for a file that is not whole. */
  finish(): Transfer {
    if (!this.#project || !this.#end)
      throw new LineFault(this.#last + 1, 'the file is not whole: its end line is missing');
    const unknown = this.#unknownAgent({ reviewerId: this.#project.reviewerId });
    if (unknown !== undefined) throw new LineFault(this.#project.line, unknown);
    const gone = new Set(this.#end.gone);
    const tasks = [...this.#tasks.values()].map((task) => withoutGone(task, gone));
    for (const task of tasks) this.#requireTasks(task);
    this.#requireNoCircle(new Map(tasks.map(({ id, dependsOn }) => [id, dependsOn])), 'dependsOn');
    this.#requireNoCircle(
      new Map(tasks.map(({ id, parentId }) => [id, parentId === undefined ? [] : [parentId]])),
      'parentId',
    );
    return {
      project: this.#project,
      agents: [...this.#agents.values()],
      tasks,
      comments: this.#comments,
      history: this.#history,
      attempts: [...this.#attempts.values()],
      contexts: this.#contexts,
    };
  }

  #faultOfPlace({ type }: TransferLine): string | undefined {
    if (this.#end) return 'nothing may follow the end line';
    if ((type === 'header') !== (this.#lines === 0)) return 'the header is the first line, and only that';
    if (type !== 'header' && (type === 'project') !== (this.#lines === 1))
      return 'the project is the second line, and only that';
    return undefined;
  }

  #take(line: TransferLine, number: number): string | undefined {
    switch (line.type) {
      case 'header':
        return undefined;
      case 'project':
        this.#project = { ...line, line: number };
        return undefined;
      case 'agent':
        if (this.#agents.has(line.id)) return 'id: this agent is in the file twice';
        this.#agents.set(line.id, line);
        return undefined;
      case 'task':
        if (this.#tasks.has(line.id)) return 'id: this task is in the file twice';
        this.#tasks.set(line.id, { ...line, line: number });
        return this.#unknownAgent({ assigneeId: line.assigneeId, createdBy: line.createdBy });
      case 'end':
        if (line.lines !== this.#lines) return `lines: ${line.lines} were written, ${this.#lines} are here`;
        this.#end = line;
        return undefined;
      default:
        return this.#takeRecord(line);
    }
  }

  #takeRecord(
    line: Extract<TransferLine, { type: 'comment' | 'history' | 'attempt' | 'context' }>,
  ): string | undefined {
    if (!this.#tasks.has(line.taskId)) return 'taskId: this task is not in the lines above';
    switch (line.type) {
      case 'comment':
        this.#comments.push(line);
        return this.#unknownAgent({ authorId: line.authorId });
      case 'history':
        this.#history.push(line);
        return this.#unknownAgent({ byId: line.byId });
      case 'context':
        this.#contexts.push(line);
        return this.#unknownAgent({ agentId: line.agentId });
      case 'attempt':
        return this.#takeAttempt(line);
    }
  }

  #takeAttempt(line: TransferLineOf<'attempt'>): string | undefined {
    const key = `${line.n} ${line.taskId}`;
    if (this.#attempts.has(key)) return 'n: this attempt is in the file twice';
    if ((line.endedAt === undefined) !== (line.outcome === undefined))
      return 'outcome: an attempt has an end and an outcome, or neither';
    this.#attempts.set(key, line);
    return this.#unknownAgent({ agentId: line.agentId });
  }

  #unknownAgent(named: Readonly<Record<string, string | undefined>>): string | undefined {
    for (const [field, id] of Object.entries(named))
      if (id !== undefined && !this.#agents.has(id)) return `${field}: this agent is not in the lines above`;
    return undefined;
  }

  #requireTasks({ line, parentId, dependsOn }: Numbered<TransferLineOf<'task'>>): void {
    if (parentId !== undefined && !this.#tasks.has(parentId))
      throw new LineFault(line, 'parentId: this task is not in the file');
    if (dependsOn.some((id) => !this.#tasks.has(id)))
      throw new LineFault(line, 'dependsOn: one of these tasks is not in the file');
  }

  #requireNoCircle(graph: TaskGraph, field: 'dependsOn' | 'parentId'): void {
    const id = findCircle(graph);
    const task = id === undefined ? undefined : this.#tasks.get(id);
    if (task) throw new LineFault(task.line, `${field}: the tasks would wait for each other in a circle`);
  }
}

function withoutGone(
  task: Numbered<TransferLineOf<'task'>>,
  gone: ReadonlySet<string>,
): Numbered<TransferLineOf<'task'>> {
  if (gone.size === 0) return task;
  const { parentId, dependsOn, ...rest } = task;
  return {
    ...rest,
    dependsOn: dependsOn.filter((id) => !gone.has(id)),
    ...(parentId !== undefined && !gone.has(parentId) && { parentId }),
  };
}
