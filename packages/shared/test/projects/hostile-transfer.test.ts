import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProjectImport } from '../../src/core/projects/transfer/project-import.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';

/* Files that nobody has exported, and exports of a board that changes meanwhile. */

let world: ServiceWorld;
let importing: ProjectImport;
beforeAll(async () => {
  world = await ServiceWorld.create();
  importing = new ProjectImport(world.projects);
});
afterAll(() => world.close());

const AT = '2026-11-28T00:00:00.000Z';
const HEADER = { type: 'header', format: 'aizuchi-project', version: 1, exportedAt: AT };
const PROJECT = { type: 'project', name: 'P', permissionPolicy: 'ask', isolation: 'shared' };
const TASK = {
  type: 'task',
  id: 'tsk_a',
  title: 'A',
  description: '',
  status: 'todo',
  priority: 'low',
  dependsOn: [],
  labels: [],
  position: 1,
  createdAt: AT,
  updatedAt: AT,
};

/** The file of these lines, with what stands around them. */
function fileOf(
  lines: readonly object[],
  { project = {}, gone = [] }: { project?: object; gone?: string[] } = {},
) {
  const all = [HEADER, { ...PROJECT, ...project }, ...lines];
  return [...all, { type: 'end', lines: all.length, gone }];
}

async function* bytesOf(lines: readonly object[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
}

const imported = (lines: readonly object[], id?: string) =>
  importing.run(world.owner, { id }, bytesOf(lines));
const refusal = (line: number, reason: RegExp) => ({
  code: 'import_invalid',
  details: { line, reason: expect.stringMatching(reason) },
});

describe('a line says what no board can hold', () => {
  test.each<[string, object, RegExp]>([
    ['a day that there was not', { dueDate: '0000-01-01' }, /dueDate/],
    ['a place between which there is no other', { position: 1e300 }, /position/],
    ['a title of two lines', { title: 'A\nB' }, /title/],
    ['a title that nobody sees', { title: '\u200b' }, /title/],
    ['a title that is read backwards', { title: 'A\u202eB' }, /title/],
    ['a label twice', { labels: ['a', 'a'] }, /labels/],
    ['a task that is part of itself', { parentId: 'tsk_a' }, /circle/],
    ['a task that waits for itself', { dependsOn: ['tsk_a'] }, /circle/],
  ])('%s', async (_name, change, reason) => {
    await expect(imported(fileOf([{ ...TASK, ...change }]))).rejects.toMatchObject(refusal(3, reason));
  });

  test('a reviewer who is not in the file, a name of two lines', async () => {
    await expect(imported(fileOf([TASK], { project: { reviewerId: 'agt_x' } }))).rejects.toMatchObject(
      refusal(2, /reviewerId/),
    );
    await expect(imported(fileOf([TASK], { project: { name: 'a\nb' } }))).rejects.toMatchObject(
      refusal(2, /name/),
    );
  });

  test('a comment that says nothing', async () => {
    const comment = { type: 'comment', taskId: 'tsk_a', body: '', createdAt: AT };
    await expect(imported(fileOf([TASK, comment]))).rejects.toMatchObject(refusal(4, /body/));
  });
});

test('what was deleted while the file was written, and many lines', async () => {
  const gone = Array.from({ length: 10_000 }, (_, n) => `gone_${n}`);
  const file = fileOf([{ ...TASK, dependsOn: gone.slice(-100), parentId: 'gone_0' }], { gone });
  expect(await imported(file)).toMatchObject({ counts: { tasks: 1 } });
  async function* endless() {
    for (let n = 0; n < 101; n += 1) yield Buffer.from('\n'.repeat(1_000));
  }
  await expect(importing.run(world.owner, {}, endless())).rejects.toMatchObject({
    code: 'payload_too_large',
  });
});
