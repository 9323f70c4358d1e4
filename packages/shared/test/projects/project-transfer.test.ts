import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TransferLine } from '../../src/contract/transfer.ts';
import type { Person } from '../../src/core/access/person.ts';
import { ProjectExport } from '../../src/core/projects/transfer/project-export.ts';
import { ProjectImport } from '../../src/core/projects/transfer/project-import.ts';
import { insertContextNote } from '../../src/core/tasks/agent-work-queries.ts';
import { TaskRecordService } from '../../src/core/tasks/task-record-service.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { newId } from '../../src/platform/ids.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { addPerson } from '../auth/people-support.ts';

let world: ServiceWorld;
let owner: Person;
let tasks: TaskService;
let records: TaskRecordService;
let exporting: ProjectExport;
let importing: ProjectImport;

beforeAll(async () => {
  world = await ServiceWorld.create();
  owner = world.owner;
  tasks = new TaskService(world.deps);
  records = new TaskRecordService(world.deps);
  exporting = new ProjectExport(world.deps);
  importing = new ProjectImport(world.projects);
});
afterAll(() => world.close());

async function exported(projectId: string): Promise<TransferLine[]> {
  let text = '';
  for await (const piece of await exporting.export(owner, projectId)) text += piece;
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function* bytesOf(lines: readonly unknown[]): AsyncGenerator<Uint8Array> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  // In pieces that end anywhere.
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

const imported = (lines: readonly unknown[], id?: string) => importing.run(owner, { id }, bytesOf(lines));

/** Ids by the order in which they come, and no times: two exports of the same are equal. */
function comparable(lines: readonly TransferLine[]): unknown[] {
  const ids = new Map<string, string>();
  for (const line of lines) if (line.type === 'task') ids.set(line.id, `task ${ids.size + 1}`);
  const text = JSON.stringify(lines, (key, value: unknown) => {
    if (key === 'exportedAt') return 'a time';
    if (key === 'dependsOn' && Array.isArray(value)) return value.map((id) => ids.get(id)).sort();
    return typeof value === 'string'
      ? value
          .split(', ')
          .map((part) => ids.get(part) ?? part)
          .join(', ')
      : value;
  });
  const parsed: unknown[] = JSON.parse(text);
  // What hangs on tasks comes by the ids of the tasks, which are others.
  return parsed.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** A project with everything that an export holds. */
async function board() {
  const { projectId, agentId } = await world.agentInProject({ credential: false });
  await world.agents.update(owner, agentId, { name: `Worker ${agentId.slice(4)}` });
  await world.projects.update(owner, projectId, { reviewerId: owner.id, egress: ['example.org'] });
  const make = async (body: Parameters<TaskService['create']>[2]) => {
    world.clock.advance(1_000);
    return tasks.create(owner, projectId, body);
  };
  const first = await make({ title: 'First', description: '- [ ] 一つ', labels: ['a', 'b'] });
  const second = await make({
    title: 'Second',
    status: 'todo',
    priority: 'urgent',
    assigneeId: agentId,
    dependsOn: [first.id],
    parentId: first.id,
    dueDate: '2027-01-31',
  });
  const third = await make({ title: 'Third', status: 'in_progress', assigneeId: agentId });
  // A parent that is younger than its part.
  await tasks.update(owner, third.id, { version: third.version, title: 'Third, renamed' });
  const fourth = await make({ title: 'Fourth', status: 'done', assigneeId: owner.id });
  await tasks.update(owner, first.id, { version: first.version, parentId: fourth.id });
  await records.comment(owner, second.id, { body: 'Seen, **thanks**' });
  const { db } = world.database;
  const now = world.clock.now();
  await insertContextNote(db, { taskId: second.id, agentId, attempt: 1, text: 'Half of it', now });
  const attempt = { taskId: second.id, agentId, startedAt: now, endedAt: now, outcome: 'crashed' };
  await db
    .insertInto('taskAttempts')
    .values([
      { ...attempt, n: 1 },
      { ...attempt, n: 2, summary: 'Gone' },
    ])
    .execute();
  return { projectId, agentId, first, second, third };
}

describe('an export that is imported', () => {
  test('is the same project, but for its ids and times', async () => {
    const { projectId, agentId } = await board();
    const before = await exported(projectId);
    const result = await imported(before);
    expect(result).toMatchObject({
      counts: { members: 1, tasks: 4, comments: 1, attempts: 2, contexts: 1 },
      unmatched: [],
    });
    expect(comparable(await exported(result.projectId))).toEqual(comparable(before));
    expect((await world.projects.listAgents(owner, result.projectId, { limit: 9 })).agents).toMatchObject([
      { id: agentId },
    ]);
    const ids = (lines: TransferLine[]) => lines.flatMap((line) => (line.type === 'task' ? [line.id] : []));
    const old = new Set(ids(before));
    expect(ids(await exported(result.projectId)).some((id) => old.has(id))).toBe(false);
  });

  test('starts nothing: the project is paused', async () => {
    const { projectId } = await board();
    const { projectId: copy } = await imported(await exported(projectId));
    expect(await world.projects.get(owner, copy)).toMatchObject({
      status: 'paused',
      reviewerId: owner.id,
      egress: ['example.org'],
    });
    await world.sweeper.runOnce();
    const { db } = world.database;
    const of = (table: 'pendingAgentPurposes' | 'agentSessions' | 'agentRuns') =>
      db.selectFrom(table).selectAll().where('projectId', '=', copy).execute();
    expect([...(await of('pendingAgentPurposes')), ...(await of('agentRuns'))]).toEqual([]);
    const { tasks: all } = await tasks.list(owner, copy, { limit: 9 });
    expect(all.map(({ status }) => status).toSorted()).toEqual(['backlog', 'done', 'in_progress', 'todo']);
    // Made active, it works, and may ask who has imported it.
    await world.projects.update(owner, copy, { status: 'active' });
    world.clock.advance(60_000);
    await world.sweeper.runOnce();
    expect(await of('pendingAgentPurposes')).toMatchObject([{ purpose: 'task', openedBy: owner.id }]);
  });

  test('the same import again makes nothing', async () => {
    const { projectId } = await board();
    const lines = await exported(projectId);
    const id = newId('prj');
    expect(await imported(lines, id)).toMatchObject({ projectId: id });
    await expect(imported(lines, id)).rejects.toMatchObject({ code: 'id_taken' });
    expect((await exported(id)).filter(({ type }) => type === 'task')).toHaveLength(4);
  });

  test('of several pages', async () => {
    const { projectId } = await board();
    const [, second] = (await tasks.list(owner, projectId, { limit: 9 })).tasks;
    for (let n = 0; n < 50; n += 1) await tasks.create(owner, projectId, { title: `Task ${n}` });
    const comment = { taskId: second?.id ?? '', authorId: owner.id, createdAt: world.clock.now() };
    const comments = Array.from({ length: 110 }, (_, n) => ({ ...comment, id: newId('cmt'), body: `${n}` }));
    await world.database.db.insertInto('taskComments').values(comments).execute();
    const before = await exported(projectId);
    const result = await imported(before);
    expect(result.counts).toMatchObject({ tasks: 54, comments: 111 });
    expect(comparable(await exported(result.projectId))).toEqual(comparable(before));
  });
});

test('whom nobody here is called is unassigned, and named by the result', async () => {
  const { projectId, agentId } = await board();
  const lines = (await exported(projectId)).map((line) =>
    line.type === 'agent' && line.id === agentId ? { ...line, name: 'Gone away' } : line,
  );
  const { projectId: copy, unmatched, counts } = await imported(lines);
  expect({ unmatched, counts }).toMatchObject({
    unmatched: ['Gone away'],
    counts: { members: 0, attempts: 0, contexts: 1 },
  });
  const assignees = (await tasks.list(owner, copy, { limit: 9 })).tasks.map(({ assigneeId }) => assigneeId);
  expect(assignees).toEqual([undefined, undefined, undefined, owner.id]);
});

test('a comment of somebody unknown says whose it is', async () => {
  const { projectId } = await board();
  const lines = (await exported(projectId)).map((line) =>
    line.type === 'agent' && line.id === owner.id ? { ...line, name: 'Nobody here' } : line,
  );
  const { projectId: copy } = await imported(lines);
  const found = await exported(copy);
  expect(found.filter(({ type }) => type === 'comment')).toMatchObject([
    { body: 'Nobody here:\n\nSeen, **thanks**' },
  ]);
});

describe('a file that is not valid makes nothing', () => {
  const fault = async (change: (lines: TransferLine[]) => readonly unknown[]) => {
    const { projectId } = await board();
    const id = newId('prj');
    const lines = await exported(projectId);
    const error = await imported(change(lines), id).catch((thrown: unknown) => thrown);
    await expect(world.projects.get(owner, id)).rejects.toMatchObject({ code: 'project_not_found' });
    return { error, lines };
  };
  const refusal = (line: number, reason: RegExp) => ({
    code: 'import_invalid',
    details: { line, reason: expect.stringMatching(reason) },
  });
  const taskAt = (lines: readonly TransferLine[], title: string) =>
    lines.findIndex((line) => line.type === 'task' && line.title === title);

  test('torn in a line, or behind one', async () => {
    const torn = await fault((lines) => [...lines.slice(0, 6), JSON.stringify(lines[6]).slice(0, -9)]);
    expect(torn.error).toMatchObject(refusal(7, /not JSON/));
    const short = await fault((lines) => lines.slice(0, -1));
    expect(short.error).toMatchObject(refusal(short.lines.length, /end line is missing/));
    const gap = await fault((lines) => lines.toSpliced(-3, 1));
    expect(gap.error).toMatchObject(refusal(gap.lines.length - 1, /lines: \d+ were written/));
    expect((await fault(() => [])).error).toMatchObject(refusal(1, /not whole/));
  });

  test('of another version, or another kind', async () => {
    const newer = await fault(([header, ...rest]) => [{ ...header, version: 2 }, ...rest]);
    expect(newer.error).toMatchObject(refusal(1, /version/));
    expect((await fault(([, ...rest]) => rest)).error).toMatchObject(refusal(1, /header/));
    const unknown = await fault((lines) => lines.with(3, { type: 'else' } as never));
    expect(unknown.error).toMatchObject(refusal(4, /type/));
  });

  test('a circle, an unknown task, an unknown agent', async () => {
    const circle = await fault((lines) =>
      lines.map((line, _, { [taskAt(lines, 'Second')]: second }) =>
        line.type === 'task' && line.title === 'First' && second?.type === 'task'
          ? { ...line, dependsOn: [second.id] }
          : line,
      ),
    );
    expect(circle.error).toMatchObject({
      code: 'import_invalid',
      details: { reason: expect.stringMatching(/circle/) },
    });
    const missing = await fault((lines) =>
      lines.map((line) =>
        line.type === 'task' && line.title === 'Third, renamed' ? { ...line, parentId: 'x' } : line,
      ),
    );
    expect(missing.error).toMatchObject(
      refusal(taskAt(missing.lines, 'Third, renamed') + 1, /parentId: this task is not in the file/),
    );
    const stranger = await fault((lines) =>
      lines.map((line) =>
        line.type === 'task' && line.title === 'First' ? { ...line, createdBy: 'x' } : line,
      ),
    );
    expect(stranger.error).toMatchObject(refusal(taskAt(stranger.lines, 'First') + 1, /createdBy/));
  });

  test('a text that cannot be stored, a line that is too long', async () => {
    const nul = await fault((lines) => lines.with(1, { ...lines[1], name: 'a\u0000' } as never));
    expect(nul.error).toMatchObject(refusal(2, /name: not a valid text/));
    const long = await fault((lines) => lines.toSpliced(2, 0, 'x'.repeat(1_048_577) as never));
    expect(long.error).toMatchObject(refusal(3, /longer than/));
  });
});

test('members may export, others do not hear of the project; only owners import', async () => {
  const { projectId } = await board();
  const viewer = await addPerson(world, 'person_reads', { accessLevel: 'viewer', projects: [projectId] });
  expect(await exporting.export(viewer, projectId)).toBeDefined();
  const stranger = await addPerson(world, 'person_elsewhere');
  await expect(exporting.export(stranger, projectId)).rejects.toMatchObject({ code: 'project_not_found' });
  await expect(importing.run(stranger, {}, bytesOf([]))).rejects.toMatchObject({ code: 'forbidden' });
});
