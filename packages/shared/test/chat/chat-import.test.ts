import { chmod, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatImport } from '../../src/core/chat/import/chat-import.ts';
import { idInThread } from '../../src/core/chat/import/chat-line.ts';
import { chatThreadId } from '../../src/core/chat/thread-id.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { addPerson } from '../auth/people-support.ts';
import { expectInvariants } from './chat-support.ts';

/* A folder that was used before holds `.ai-pm/agents/<id>/chat.jsonl`. */

let world: ServiceWorld;
let importing: ChatImport;
beforeAll(async () => {
  world = await ServiceWorld.create();
  importing = new ChatImport(world.deps);
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const AT = '2026-01-11T10:00:00Z';
const run = ({ projectId }: WorldAgent) => importing.run(world.owner, projectId);

async function folderOf({ projectId }: WorldAgent, agentId: string): Promise<string> {
  const { workingDirectory = '' } = await world.projects.get(world.owner, projectId);
  const folder = path.join(workingDirectory, '.ai-pm', 'agents', agentId);
  await mkdir(folder, { recursive: true });
  return folder;
}

async function write(
  of: WorldAgent,
  lines: readonly (object | string)[],
  agentId = of.agentId,
): Promise<string> {
  const folder = await folderOf(of, agentId);
  const text = lines.map((line) => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)).join('');
  await writeFile(path.join(folder, 'chat.jsonl'), text);
  return folder;
}

async function said(of: WorldAgent): Promise<string[]> {
  const page = { ...of, limit: 50, includeInvisible: true };
  const { messages } = await world.history.list(world.owner, page);
  return messages.map(({ sender, content }) => `${sender}: ${content}`);
}

/** As the seeds write them: with `senderId`, with `sender`, and with both. */
const linesOf = (agentId: string, tag: string) => [
  { id: `msg_${tag}1`, senderId: 'system', content: 'セッション開始', createdAt: AT, visible: false },
  { id: `msg_${tag}2`, senderId: 'user', content: '進捗を教えて', createdAt: AT, visible: true },
  { id: `msg_${tag}3`, senderId: agentId, content: '50%完了です', createdAt: AT, visible: true },
  { id: `sys_${tag}4`, sender: 'system', content: 'タイムアウトしました', createdAt: AT },
  { id: `msg_${tag}5`, senderId: 'worker-b', content: 'ごりら', createdAt: AT, conversationId: 'conv_1' },
];

test('its chats are the history, in their order; twice makes nothing new', async () => {
  const membership = await world.agentInProject();
  const { agentId } = membership;
  const folder = await write(membership, linesOf(agentId, 'a'));
  await write(membership, linesOf('agt_elsewhere', 'x'), 'agt_elsewhere');
  expect(await run(membership)).toEqual({
    agents: [{ agentId, imported: 4, known: 0, ofConversations: 1 }],
    unknown: ['agt_elsewhere'],
  });
  const history = [
    'system: セッション開始',
    'user: 進捗を教えて',
    'agent: 50%完了です',
    'system: タイムアウトしました',
  ];
  expect(await said(membership)).toEqual(history);
  // The file is ours now, and the old one stands beside it.
  expect((await readdir(folder)).filter((name) => name.startsWith('chat.jsonl.altered-'))).toHaveLength(1);
  expect((await readFile(path.join(folder, 'chat.jsonl'), 'utf8')).trimEnd().split('\n')).toHaveLength(4);
  expect(await run(membership)).toMatchObject({ agents: [{ imported: 0, known: 4 }] });
  expect(await said(membership)).toEqual(history);
  // Nobody is woken for them, and nothing is unread.
  const { items } = await world.inbox.list(world.owner);
  expect(items.filter(({ projectId }) => projectId === membership.projectId)).toEqual([]);
  const { counts } = await world.history.unreadCounts(world.owner, membership.projectId);
  expect(counts[agentId] ?? 0).toBe(0);
  await world.chat.post(world.owner, { ...membership, content: 'Further' });
  expect((await said(membership)).slice(0, 5)).toEqual([...history, 'user: Further']);
});

test('the same folder in another project has messages of its own', async () => {
  const [first, second] = [await world.agentInProject(), await world.agentInProject()];
  for (const membership of [first, second]) {
    await write(membership, linesOf(membership.agentId, 'b'));
    expect(await run(membership)).toMatchObject({ agents: [{ imported: 4 }] });
    expect(await run(membership)).toMatchObject({ agents: [{ imported: 0, known: 4 }] });
  }
  expect(await said(second)).toHaveLength(4);
});

test('at the same time: copies of one folder in several projects, and one folder several times', async () => {
  const memberships = await Promise.all([world.agentInProject(), world.agentInProject()]);
  // So many that both are still at work when the other one looks what is stored.
  const lines = Array.from({ length: 1_500 }, (_none, n) => ({
    id: `msg_atonce${n}`,
    senderId: 'user',
    content: 'x',
    createdAt: AT,
  }));
  for (const one of memberships) await write(one, lines);
  const results = await Promise.all([...memberships, ...memberships].map(run));
  const imported = results.flatMap(({ agents }) => agents.map((one) => one.imported));
  expect(imported.filter((count) => count > 0)).toEqual([1_500, 1_500]);
});

describe('nothing is taken half', () => {
  test('a torn line is named with its file, and no agent gets anything', async () => {
    const membership = await world.agentInProject();
    const { id } = await world.agents.create(world.owner, { name: 'Second', type: 'ai' });
    await world.projects.putAgent(world.owner, { projectId: membership.projectId, agentId: id });
    await write(membership, linesOf(membership.agentId, 'c'));
    await write(membership, [...linesOf(id, 'd').slice(0, 2), '{"id":"msg_d9","senderId":"us'], id);
    const file = `.ai-pm/agents/${id}/chat.jsonl`;
    await expect(run(membership)).rejects.toMatchObject({
      code: 'import_invalid',
      details: { file, line: 3, reason: `${file}: not JSON` },
    });
    expect(await said(membership)).toEqual([]);
  });

  test.each<[string, object, RegExp]>([
    ['without a sender', { sender: undefined }, /sender/],
    ['at no time', { createdAt: 'yesterday' }, /createdAt/],
    ['with half a character', { content: '\ud800' }, /content/],
    ['with the id of another one', { id: 'msg_e0' }, /another line has it/],
  ])('a line %s', async (_name, change, reason) => {
    const membership = await world.agentInProject();
    const line = { id: 'msg_e0', sender: 'user', content: 'First', createdAt: AT };
    await write(membership, [line, { ...line, id: 'msg_e1', content: 'Second', ...change }]);
    await expect(run(membership)).rejects.toMatchObject({
      details: { line: 2, reason: expect.stringMatching(reason) },
    });
    expect(await said(membership)).toEqual([]);
  });

  test('a chat in which something was said since', async () => {
    const membership = await world.agentInProject();
    await world.chat.post(world.owner, { ...membership, content: 'Hello' });
    const folder = await folderOf(membership, membership.agentId);
    await rm(path.join(folder, 'chat.jsonl'), { force: true });
    await write(membership, linesOf(membership.agentId, 'f'));
    await expect(run(membership)).rejects.toMatchObject({ code: 'chat_not_empty' });
    expect(await said(membership)).toEqual(['user: Hello']);
    await world.transcripts.repair(membership);
  });
});

test('ids that are made for other lines make no fault', async () => {
  const membership = await world.agentInProject();
  const line = { id: 'x', sender: 'user', content: 'First', createdAt: AT, visible: true } as const;
  const threadId = chatThreadId(membership.projectId, membership.agentId);
  const made = idInThread(threadId, { ...line, humanId: null, createdAt: new Date(AT) });
  await write(membership, [line, { ...line, id: made, content: 'Second' }]);
  expect(await run(membership)).toMatchObject({ agents: [{ imported: 2 }] });
  expect(await said(membership)).toEqual(['user: First', 'user: Second']);
});

test('of others nothing is read, and of all together no more than fits into memory', async () => {
  const membership = await world.agentInProject();
  const { projectId } = membership;
  const long = async (agentId: string, mebibytes: number) => {
    const file = path.join(await folderOf(membership, agentId), 'chat.jsonl');
    await writeFile(file, '');
    await truncate(file, mebibytes * 1_048_576);
  };
  await long('agt_elsewhere', 17);
  expect(await run(membership)).toEqual({ agents: [], unknown: ['agt_elsewhere'] });
  for (let n = 0; n < 5; n += 1) {
    const { id: agentId } = await world.agents.create(world.owner, { name: `Long ${n}`, type: 'ai' });
    await world.projects.putAgent(world.owner, { projectId, agentId });
    await long(agentId, 15);
  }
  await expect(run(membership)).rejects.toMatchObject({ code: 'payload_too_large' });
});

test('no link is followed, and only owners import', async () => {
  const membership = await world.agentInProject();
  const { projectId, agentId } = membership;
  const secret = path.join(world.root, 'secret.jsonl');
  await writeFile(secret, JSON.stringify({ id: 'msg_s', sender: 'user', content: 'secret', createdAt: AT }));
  await chmod(secret, 0o644);
  const folder = await folderOf(membership, agentId);
  await symlink(secret, path.join(folder, 'chat.jsonl'));
  await expect(run(membership)).rejects.toMatchObject({ code: 'import_invalid', details: { line: 0 } });
  const member = await addPerson(world, 'person_member', { projects: [projectId] });
  await expect(importing.run(member, projectId)).rejects.toMatchObject({ code: 'forbidden' });
  const stranger = await addPerson(world, 'person_stranger');
  await expect(importing.run(stranger, projectId)).rejects.toMatchObject({ code: 'project_not_found' });
  const empty = await world.agentInProject();
  expect(await run(empty)).toEqual({ agents: [], unknown: [] });
});
