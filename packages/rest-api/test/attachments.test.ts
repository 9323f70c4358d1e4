import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { retentionFromEnv } from '@aizuchi/shared/platform/config/retention';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';

const MB = 1_000_000;
const PNG = Buffer.from('\x89PNG\r\n\x1a\nand so on', 'latin1');

let world: RestWorld;
let owner: Caller;
let projectId: string;
let agentId: string;
beforeAll(async () => {
  const retention = { ...retentionFromEnv({}), attachmentBytes: 20 * MB };
  world = await RestWorld.create({ config: { retention } });
  ({ projectId, agentId } = await world.project());
  owner = await world.owner();
});
afterAll(() => world.close());

const upload = (body: string | Buffer, query = '', headers: Record<string, string> = {}, caller = owner) =>
  world.app.server
    .inject({
      method: 'POST',
      url: `/api/projects/${projectId}/attachments${query}`,
      headers: { host: `127.0.0.1:${world.port}`, authorization: `Bearer ${caller.token}`, ...headers },
      payload: body,
    })
    .then((answer) => ({ status: answer.statusCode, body: answer.json() }));

const read = (id: string) =>
  world.app.server.inject({
    url: `/api/attachments/${id}`,
    headers: { host: `127.0.0.1:${world.port}`, authorization: `Bearer ${owner.token}` },
  });

const messages = () => `/api/projects/${projectId}/agents/${agentId}/chat/messages`;
const say = (body: Record<string, unknown>, caller = owner) => world.call(caller, 'POST', messages(), body);
const fileId = async (name = 'a.txt') => (await upload('text', `?name=${name}`)).body.id as string;

test('a file goes with a message, and is the same when it is read', async () => {
  const { status, body } = await upload(PNG, `?name=${encodeURIComponent('図 1.png')}`, {
    'content-type': 'text/html',
  });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    name: '図 1.png',
    mediaType: 'image/png',
    size: PNG.length,
  });
  const said = await say({ content: 'Look', attachments: [body.id] });
  expect(said.status).toBe(201);
  expect(said.body.attachments).toEqual([body]);
  const listed = (await world.call(owner, 'GET', messages())).body.messages;
  expect(listed.at(-1).attachments).toEqual([body]);
  const answer = await read(body.id);
  expect(answer.rawPayload.equals(PNG)).toBe(true);
  expect(answer.headers).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': `inline; filename="_ 1.png"; filename*=UTF-8''%E5%9B%B3%201.png`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
  });
});

test.each([
  ['picture.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['page.png', '<html><script>alert(1)</script></html>'],
])('%s is only a download', async (name, content) => {
  const { body } = await upload(content, `?name=${name}`, { 'content-type': 'image/png' });
  expect(body).toMatchObject({ name, mediaType: 'text/plain' });
  expect((await read(body.id)).headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringMatching(/^attachment; /),
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
  });
});

test('a name comes from the query, else from a header, and is made harmless', async () => {
  const named = async (query: string, disposition?: string) =>
    (await upload('x', query, disposition ? { 'content-disposition': disposition } : {})).body.name;
  expect(await named(`?name=${encodeURIComponent('../a\u202eb\r\n".txt')}`)).toBe('ab_.txt');
  expect(await named('', 'attachment; filename="notes.md"')).toBe('notes.md');
  expect(await named('', "attachment; filename=x; filename*=UTF-8''%E5%9B%B3.md")).toBe('図.md');
  expect(await named('')).toBe('file');
});

test('what cannot be kept is refused, and says why', async () => {
  const code = async (answer: ReturnType<typeof upload>) => {
    const { status, body } = await answer;
    return `${status} ${body.error.code}`;
  };
  expect(await code(upload(''))).toBe('400 invalid_input');
  expect(await code(upload(Buffer.alloc(6 * MB)))).toBe('413 payload_too_large');
  // Before the body is read.
  const viewer = await world.person('viewer', { projects: [projectId] });
  expect(await code(upload(Buffer.alloc(6 * MB), '', {}, viewer))).toBe('403 forbidden');
  expect(await code(upload('--x', '', { 'content-type': 'multipart/form-data; boundary=x' }))).toBe(
    '400 invalid_input',
  );
  expect(await code(upload('x', '?colour=red'))).toBe('400 invalid_input');
  const before = (await world.context.database.pool.query('select count(*) from attachments')).rows;
  // Cut off in the middle, and without its length.
  const cut = request({
    port: world.port,
    method: 'POST',
    path: `/api/projects/${projectId}/attachments`,
    headers: { authorization: `Bearer ${owner.token}`, 'content-length': 1_000 },
  });
  cut.on('error', () => undefined);
  const arrived = once(world.app.server.server, 'request');
  cut.write('half');
  const [taken]: IncomingMessage[] = await arrived;
  // The server is reading its body.
  await expect.poll(() => taken?.listenerCount('readable')).toBeGreaterThan(0);
  cut.destroy();
  await expect.poll(() => world.log.join('')).toContain('client went away');
  const long = await fetch(`${world.url}/api/projects/${projectId}/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}` },
    body: new Blob([Buffer.alloc(6 * MB)]).stream(),
    duplex: 'half',
  } as RequestInit);
  expect(long.status).toBe(413);
  expect((await world.context.database.pool.query('select count(*) from attachments')).rows).toEqual(before);
});

test('the files of a project have a quota', async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 5; n += 1) statuses.push((await upload(Buffer.alloc(5 * MB))).status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(3);
  const refused = await upload(Buffer.alloc(5 * MB));
  expect(refused).toMatchObject({
    status: 409,
    body: { error: { code: 'attachment_quota_reached', details: { quotaBytes: 20 * MB } } },
  });
});

test('a file is used once, by the person who has uploaded it, in its project', async () => {
  const member = await world.person('member', { projects: [projectId] });
  const [id, other] = [await fileId(), await fileId('b.txt')];
  const theirs = await say({ content: 'Mine', attachments: [id] }, member);
  expect(theirs).toMatchObject({ status: 404, body: { error: { code: 'attachment_not_found' } } });
  const elsewhere = await world.project();
  const strange = await world.call(
    owner,
    'POST',
    `/api/projects/${elsewhere.projectId}/agents/${elsewhere.agentId}/chat/messages`,
    { content: 'x', attachments: [id] },
  );
  expect(strange.body.error.code).toBe('attachment_not_found');
  const body = { content: 'Once', clientMessageId: 'once', attachments: [id] };
  const first = await say(body);
  expect(first.status).toBe(201);
  expect(await say(body)).toMatchObject({ status: 200, body: { id: first.body.id } });
  for (const attachments of [[other], [id, other], undefined])
    expect((await say({ ...body, attachments })).body.error.code).toBe('client_message_id_reused');
  expect(await say({ content: 'Again', attachments: [id] })).toMatchObject({
    status: 409,
    body: { error: { code: 'attachment_in_use' } },
  });
  expect((await say({ content: 'Twice', attachments: [other, other] })).status).toBe(400);
  expect((await say({ content: 'Both', attachments: [other, 'fil_none'] })).status).toBe(404);
  expect((await say({ content: 'Still free', attachments: [other] })).status).toBe(201);
});

test('a comment has files, which go with it; so do those of a deleted task', async () => {
  const { id: tid } = (await world.call(owner, 'POST', `/api/projects/${projectId}/tasks`, { title: 'T' }))
    .body;
  const comments = `/api/tasks/${tid}/comments`;
  const [id, second] = [await fileId(), await fileId()];
  const said = { body: 'See', attachments: [id], clientCommentId: 'once' };
  const made = await world.call(owner, 'POST', comments, said);
  expect((await world.call(owner, 'POST', comments, said)).body).toEqual(made.body);
  const other = await world.call(owner, 'POST', comments, { ...said, attachments: [second] });
  expect(other.body.error.code).toBe('client_message_id_reused');
  expect(made.body.attachments).toMatchObject([{ id, name: 'a.txt' }]);
  expect((await world.call(owner, 'GET', comments)).body.comments).toEqual([made.body]);
  await world.call(owner, 'POST', comments, { body: 'And', attachments: [second] });
  expect((await world.call(owner, 'DELETE', `${comments}/${made.body.id}`)).status).toBe(204);
  expect((await read(id)).statusCode).toBe(404);
  expect((await read(second)).statusCode).toBe(200);
  await world.call(owner, 'DELETE', `/api/tasks/${tid}`);
  expect((await read(second)).statusCode).toBe(404);
});
