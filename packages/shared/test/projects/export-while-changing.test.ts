import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProjectExport } from '../../src/core/projects/transfer/project-export.ts';
import { ProjectImport } from '../../src/core/projects/transfer/project-import.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';

let world: ServiceWorld;
let tasks: TaskService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  tasks = new TaskService(world.deps);
});
afterAll(() => world.close());

test('a link that is turned round between two pages closes no circle in the file', async () => {
  const { projectId } = await world.agentInProject({ credential: false });
  const make = async (n: number) => {
    world.clock.advance(1);
    return tasks.create(world.owner, projectId, { title: `Task ${n}` });
  };
  const ids: string[] = [];
  for (let n = 0; n < 60; n += 1) ids.push((await make(n)).id);
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  const change = async (id: string, body: { dependsOn: string[]; parentId: string | null }) => {
    const { version } = await tasks.get(world.owner, id);
    await tasks.update(world.owner, id, { version, ...body });
  };
  await change(first, { dependsOn: [last], parentId: last });
  let text = '';
  for await (const piece of await new ProjectExport(world.deps).export(world.owner, projectId)) {
    // The first page is read, the second is not.
    if (!text.includes('"type":"task"') && piece.includes('"type":"task"')) {
      await change(first, { dependsOn: [], parentId: null });
      await change(last, { dependsOn: [first], parentId: first });
    }
    text += piece;
  }
  async function* body() {
    yield Buffer.from(text);
  }
  const copy = await new ProjectImport(world.projects).run(world.owner, {}, body());
  expect(copy.counts).toMatchObject({ tasks: 60 });
});
