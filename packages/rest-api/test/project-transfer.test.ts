import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestWorld } from './rest-world.ts';

let world: RestWorld;
beforeAll(async () => {
  world = await RestWorld.create();
});
afterAll(() => world.close());

const NDJSON = { 'content-type': 'application/x-ndjson' };

test('an export is a file of lines that can be imported', async () => {
  const owner = await world.owner();
  const { projectId } = await world.project();
  await world.context.tasks.create(owner, projectId, { title: '一つ' });
  const file = await world.call(owner, 'GET', `/api/projects/${projectId}/export`);
  expect(file.status).toBe(200);
  expect(file.headers['content-type']).toContain('application/x-ndjson');
  expect(file.headers['content-disposition']).toBe(`attachment; filename="${projectId}.ndjson"`);
  expect(file.text.split('\n')[0]).toContain('"version":1');
  const url = '/api/projects/import?id=prj_copy';
  const made = await world.call(owner, 'POST', url, undefined, { payload: file.text, headers: NDJSON });
  expect(made).toMatchObject({ status: 201, body: { projectId: 'prj_copy', counts: { tasks: 1 } } });
  const again = await world.call(owner, 'POST', url, undefined, { payload: file.text, headers: NDJSON });
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'id_taken' } } });
  const board = await world.call(owner, 'GET', '/api/projects/prj_copy/tasks');
  expect(board.body).toMatchObject({ tasks: [{ title: '一つ' }] });
  // An id that no header could hold is one that is not there.
  for (const pid of ['%E3%81%82', 'a%0Ab'])
    expect(await world.call(owner, 'GET', `/api/projects/${pid}/export`)).toMatchObject({ status: 404 });
});

test('a line that is not valid is named, and nothing is made', async () => {
  const owner = await world.owner();
  const { projectId } = await world.project();
  const { text } = await world.call(owner, 'GET', `/api/projects/${projectId}/export`);
  const refused = await world.call(owner, 'POST', '/api/projects/import?id=prj_torn', undefined, {
    payload: text.slice(0, -5),
    headers: NDJSON,
  });
  expect(refused).toMatchObject({
    status: 422,
    body: { error: { code: 'import_invalid', details: { line: 4, reason: 'not JSON' } } },
  });
  expect((await world.call(owner, 'GET', '/api/projects/prj_torn')).status).toBe(404);
});

test('more than 32 MiB are refused, whatever is in it', async () => {
  const owner = await world.owner();
  const { projectId } = await world.project();
  const { text } = await world.call(owner, 'GET', `/api/projects/${projectId}/export`);
  const payload = `${text.split('\n')[0]}\n${`${' '.repeat(1_000_000)}\n`.repeat(34)}`;
  const refused = await world.call(owner, 'POST', '/api/projects/import', undefined, {
    payload,
    headers: NDJSON,
  });
  expect(refused).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
});
