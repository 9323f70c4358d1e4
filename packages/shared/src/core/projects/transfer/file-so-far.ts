import type { TransferLine, TransferLineOf } from '../../../contract/transfer.ts';
import { closesCycle } from '../../tasks/rules/task-graph.ts';

/** What an export has written: how many lines, and who and what is known by them. */
export class FileSoFar {
  readonly agents = new Set<string>();
  /** The tasks that were written, and at what they point. */
  readonly #waits = new Map<string, readonly string[]>();
  readonly #parents = new Map<string, readonly string[]>();
  /** Tasks at which others point, and that were not written yet. */
  readonly #named = new Set<string>();
  #lines = 0;

  write(lines: readonly TransferLine[]): string {
    this.#lines += lines.length;
    return textOf(lines.map((line) => this.#noted(line)));
  }

  end(): string {
    return textOf([{ type: 'end', lines: this.#lines, gone: [...this.#named] }]);
  }

  #noted(line: TransferLine): TransferLine {
    if (line.type === 'agent') this.agents.add(line.id);
    return line.type === 'task' ? this.#task(line) : line;
  }

  #task(line: TransferLineOf<'task'>): TransferLineOf<'task'> {
    // A link was turned round after the page with its other end was read: both would be a circle, which no import takes.
    const task = this.#named.delete(line.id) ? this.#withoutCircle(line) : line;
    const parents = task.parentId === undefined ? [] : [task.parentId];
    this.#waits.set(task.id, task.dependsOn);
    this.#parents.set(task.id, parents);
    for (const id of [...task.dependsOn, ...parents]) if (!this.#waits.has(id)) this.#named.add(id);
    return task;
  }

  #withoutCircle(line: TransferLineOf<'task'>): TransferLineOf<'task'> {
    const { parentId, ...rest } = line;
    const dependsOn = line.dependsOn.filter((id) => !closesCycle(this.#waits, line.id, [id]));
    const isPart = parentId !== undefined && !closesCycle(this.#parents, line.id, [parentId]);
    return { ...rest, dependsOn, ...(isPart && { parentId }) };
  }
}

function textOf(lines: readonly TransferLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
