import { afterAll, beforeAll, expect, test } from 'vitest';
import { McpWorld, type RunningServer } from '../src/testing/mcp-world.ts';

let world: McpWorld;
let server: RunningServer;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer();
});
afterAll(() => world.close());

const PNG = Buffer.from('\x89PNG\r\n\x1a\nand so on', 'latin1');

async function warm() {
  const membership = await world.services.agentInProject();
  const { ticket, caller } = await world.services.warmAgent(membership);
  return { ...membership, caller, agent: await world.connect(server, ticket) };
}

test('an agent is told of the files of a message, and reads each as what it is', async () => {
  const { attachments, chat, owner } = world.services;
  const { agent, projectId, agentId } = await warm();
  const upload = (name: string, bytes: Buffer) => attachments.upload(owner, { projectId, name, bytes });
  const files = [
    await upload('notes.md', Buffer.from(`# 議事録\n${'long '.repeat(12_000)}end`)),
    await upload('shot.png', PNG),
    await upload('a.pdf', Buffer.from('%PDF-1.7')),
  ];
  await chat.post(owner, { projectId, agentId, content: 'See', attachments: files.map(({ id }) => id) });
  const pending = (await agent.call('get_pending_messages', {})).structured;
  expect(pending?.pending_messages).toMatchObject([{ content: 'See', attachments: files }]);
  const [notes, shot, pdf] = files.map(({ id }) => id);

  const first = (await agent.call('get_attachment', { id: notes })).structured;
  expect(first).toMatchObject({ attachment: files[0], kind: 'text', next_offset: expect.any(Number) });
  const rest = (await agent.call('get_attachment', { id: notes, offset: first?.next_offset })).structured;
  expect(`${first?.text}${rest?.text}`).toBe(`# 議事録\n${'long '.repeat(12_000)}end`);
  expect(rest?.next_offset).toBeUndefined();

  const image = await agent.call('get_attachment', { id: shot });
  expect(image.structured).toMatchObject({ kind: 'image', attachment: { name: 'shot.png' } });
  expect(image.content[1]).toEqual({
    type: 'image',
    data: PNG.toString('base64'),
    mimeType: 'image/png',
  });
  const file = await agent.call('get_attachment', { id: pdf });
  expect(file.content[1]).toMatchObject({
    type: 'resource',
    resource: { mimeType: 'application/pdf', blob: Buffer.from('%PDF-1.7').toString('base64') },
  });
});

test('an agent gets only what it was given', async () => {
  const { attachments, chat, database, owner } = world.services;
  const { agent, projectId, agentId } = await warm();
  const upload = async () =>
    (await attachments.upload(owner, { projectId, name: 'a.txt', bytes: Buffer.from('secret') })).id;
  const colleague = await world.services.colleague({ projectId, agentId });
  const [unused, ofColleague, mine, ofTask] = [
    await upload(),
    await upload(),
    await upload(),
    await upload(),
  ];
  await chat.post(owner, { ...colleague, content: 'For you alone', attachments: [ofColleague] });
  await chat.post(owner, { projectId, agentId, content: 'Yours', attachments: [mine] });
  await database.pool.query(
    `insert into tasks (id, project_id, title, created_by) values ('tsk_files', $1, 'Files', 'owner')`,
    [projectId],
  );
  await database.pool.query(`update attachments set task_id = 'tsk_files' where id = $1`, [ofTask]);
  const outcomeOf = async (id: string) => {
    const { isError, text } = await agent.call('get_attachment', { id });
    return isError ? JSON.parse(text).error.code : 'ok';
  };
  expect(await outcomeOf(mine)).toBe('ok');
  for (const id of [unused, ofColleague, ofTask, 'fil_none'])
    expect(await outcomeOf(id)).toBe('attachment_not_found');
  await database.pool.query(`update tasks set assignee_id = $1 where id = 'tsk_files'`, [agentId]);
  expect(await outcomeOf(ofTask)).toBe('ok');
});
