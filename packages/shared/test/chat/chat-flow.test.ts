import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceWorld } from '../../src/testing/service-world.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(() => world.close());

describe('UC014: a message reaches a warm agent and its answer comes back', () => {
  it('goes from start to answer, and the transcript is the one of the seed', async () => {
    const membership = await world.agentInProject();
    await world.coordinator();
    expect(await world.chat.start(world.owner, { ...membership, viewerId: 'v1' })).toEqual({
      status: 'started',
    });
    expect(await world.chat.start(world.owner, { ...membership, viewerId: 'v1' })).toEqual({
      status: 'pending',
    });
    expect(await world.coordination.work('host-a')).toEqual({ changes: [], pairs: [membership], stop: [] });
    const { caller } = await world.signIn(membership);
    expect(await world.chat.start(world.owner, { ...membership, viewerId: 'v1' })).toEqual({
      status: 'already_active',
    });
    expect(
      (await world.presence.agentSessions(world.owner, membership.projectId))[membership.agentId],
    ).toMatchObject({
      chat: 1,
      chatStatus: 'ready',
    });
    expect((await world.sessions.nextActions([caller.sessionId])).get(caller.sessionId)).toEqual({
      kind: 'wait',
    });

    const { message } = await world.chat.post(world.owner, {
      ...membership,
      content: 'タスクの進捗を教えてください',
    });
    expect(message).toMatchObject({ sender: 'user', senderId: 'user', humanId: 'owner', state: 'stored' });
    expect((await world.sessions.nextActions([caller.sessionId])).get(caller.sessionId)).toEqual({
      kind: 'get_pending_messages',
      again: false,
    });
    const delivery = await world.delivery.take(caller);
    expect(delivery.pendingMessages.map((one) => one.id)).toEqual([message.id]);
    expect(
      (await world.presence.agentSessions(world.owner, membership.projectId))[membership.agentId]?.chatStatus,
    ).toBe('busy');
    const answer = await world.delivery.respond(caller, {
      content: '進行中のタスクは 1 件です。',
      idempotencyKey: 'k1',
    });
    expect(answer).toMatchObject({ answered: 1, message: { sender: 'agent', senderId: membership.agentId } });
    expect(await world.delivery.respond(caller, { content: 'again', idempotencyKey: 'k1' })).toEqual(answer);

    const page = await world.history.list(world.owner, { ...membership, limit: 50 });
    expect(page.messages.map((one) => [one.sender, one.state])).toEqual([
      ['user', 'answered'],
      ['agent', 'stored'],
    ]);
    const { workingDirectory = '' } = await world.projects.get(world.owner, membership.projectId);
    const file = path.join(workingDirectory, '.ai-pm/agents', membership.agentId, 'chat.jsonl');
    const lines = (await readFile(file, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => [line.senderId, line.content, line.visible])).toEqual([
      ['system', 'セッション開始', false],
      ['user', 'タスクの進捗を教えてください', true],
      [membership.agentId, '進行中のタスクは 1 件です。', true],
    ]);
  });
});
