import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TASK_STATUSES, type TaskStatus } from '../../src/core/tasks/rules/task-status.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { AppError } from '../../src/platform/errors.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';

/*
 * People move, order, link and delete tasks, two at a time and in any order: no circle, one order for everybody, versions
 * that only grow, a place where each move has put its task, and a history that tells every change of a status.
 */

const TASKS = 6;

let world: ServiceWorld;
let board: TaskService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  board = new TaskService(world.deps);
});
afterAll(() => world.close());

const command = fc.record({
  kind: fc.constantFrom('move', 'move', 'place', 'place', 'wait', 'wait', 'part', 'part', 'remove', 'create'),
  task: fc.nat(TASKS - 1),
  other: fc.option(fc.nat(TASKS - 1)),
  status: fc.constantFrom(...TASK_STATUSES),
});
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

interface Stored {
  readonly id: string;
  readonly status: TaskStatus;
  readonly version: number;
  readonly position: number;
}

class Project {
  readonly id: string;
  readonly #ids: string[] = [];
  #versions = new Map<string, number>();

  constructor(id: string) {
    this.id = id;
  }

  /** Tasks of an import: their positions are equal. */
  async fill(): Promise<void> {
    for (let index = 0; index < TASKS; index += 1) await this.#create('todo');
    await world.database.db
      .updateTable('tasks')
      .set({ position: 1 })
      .where('projectId', '=', this.id)
      .execute();
  }

  /** Both at once: what the rules refuse is no failure. */
  async takeBoth(commands: readonly Command[]): Promise<void> {
    await Promise.all(commands.map((one) => this.#take(one).catch(refusal)));
  }

  /** Nobody else writes meanwhile: the task stands where it was put. */
  async takeAlone(one: Command): Promise<void> {
    await this.#take(one).catch(refusal);
    if (one.kind !== 'place') return;
    const id = this.#idOf(one.task);
    const above = one.other === null ? null : this.#idOf(one.other);
    const moved = await board.get(world.owner, id).catch(() => undefined);
    if (moved === undefined || (above !== null && above === id)) return;
    const column = await this.column(moved.status);
    if (above !== null && !column.includes(above)) return;
    expect(column.indexOf(id), `${id} after ${above} of ${column}`).toBe(
      above === null ? 0 : column.indexOf(above) + 1,
    );
  }

  async column(status: TaskStatus): Promise<string[]> {
    const rows = await this.#stored();
    return rows.filter((row) => row.status === status).map(({ id }) => id);
  }

  /** What must hold between any two commands. */
  async check(): Promise<void> {
    const rows = await this.#stored();
    for (const { id, version, position } of rows) {
      expect(version, id).toBeGreaterThanOrEqual(this.#versions.get(id) ?? 1);
      expect(Number.isFinite(position), id).toBe(true);
    }
    this.#versions = new Map(rows.map(({ id, version }) => [id, version]));
    expect(await violations(this.id)).toEqual([]);
  }

  #take({ kind, task, other, status }: Command): Promise<unknown> {
    const id = this.#idOf(task);
    const otherId = other === null ? null : this.#idOf(other);
    switch (kind) {
      case 'move':
        return this.#change(id, { status });
      case 'place':
        return this.#change(id, { after: otherId });
      case 'wait':
        return this.#change(id, { dependsOn: otherId === null ? [] : [otherId] });
      case 'part':
        return this.#change(id, { parentId: otherId });
      case 'create':
        return this.#create(status, otherId);
      default:
        return board.remove(world.owner, id);
    }
  }

  async #change(id: string, body: Omit<Parameters<TaskService['update']>[2], 'version'>): Promise<void> {
    const { version } = await board.get(world.owner, id);
    const changed = await board.update(world.owner, id, { ...body, version });
    expect(changed.version).toBeGreaterThan(version);
  }

  async #create(status: TaskStatus, parentId: string | null = null): Promise<void> {
    const title = `Task ${this.#ids.length}`;
    const { id } = await board.create(world.owner, this.id, {
      title,
      status,
      ...(parentId !== null && { parentId }),
    });
    this.#ids.push(id);
  }

  /** The tasks that were made last take the numbers, so that commands meet each other. */
  #idOf(index: number): string {
    return this.#ids.at(-1 - index) ?? '';
  }

  async #stored(): Promise<readonly Stored[]> {
    const { tasks } = await board.list(world.owner, this.id, { limit: 200 });
    return tasks.toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
  }
}

function refusal(error: unknown): void {
  if (!(error instanceof AppError) || error.code === 'internal') throw error;
}

async function violations(projectId: string): Promise<string[]> {
  const { rows } = await world.database.pool.query<{ violation: string }>(
    `with recursive waits as (
       select task_id as id, depends_on_id as next, 1 as depth from task_dependencies
       union select w.id, d.depends_on_id, depth + 1 from waits w join task_dependencies d on d.task_id = w.next
       where depth < 50
     ), parts as (
       select id, parent_id as next, 1 as depth from tasks where parent_id is not null and deleted_at is null
       union select p.id, t.parent_id, depth + 1 from parts p join tasks t on t.id = p.next
       where depth < 50 and t.parent_id is not null
     ), mine as (select * from tasks where project_id = $1)
     select 'waits for itself: ' || id as violation from waits where id = next and id in (select id from mine)
     union all
     select 'is a part of itself: ' || id from parts where id = next and id in (select id from mine)
     union all
     select 'waits for a deleted task: ' || d.task_id from task_dependencies d join mine m on m.id = d.depends_on_id
       where m.deleted_at is not null
     union all
     select 'is a part of a deleted task: ' || m.id from mine m join mine p on p.id = m.parent_id
       where p.deleted_at is not null and m.deleted_at is null
     union all
     -- A status is entered once more than it is left when the task is in it, and as often otherwise.
     select 'its history tells another status: ' || m.id from mine m cross join unnest($2::text[]) as one(status)
       where (select count(*) filter (where h.to_value = one.status) - count(*) filter (where h.from_value = one.status)
         from task_history h where h.task_id = m.id and h.field = 'status')
         <> case when m.status = one.status then 1 else 0 end`,
    [projectId, TASK_STATUSES],
  );
  return rows.map(({ violation }) => violation);
}

it('any changes, two at once: no circle, one order, growing versions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(command, command), { minLength: 10, maxLength: 25 }),
      async (pairs) => {
        const { projectId } = await world.agentInProject({ credential: false });
        const project = new Project(projectId);
        await project.fill();
        for (const [index, pair] of pairs.entries()) {
          world.clock.advance(1);
          if (index % 2 === 0) await project.takeBoth(pair);
          else await project.takeAlone(pair[0]);
          await project.check();
        }
      },
    ),
    { numRuns: 10 },
  );
}, 240_000);
