import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asker } from './question-asker.ts';
import { type Caller, RestWorld } from './rest-world.ts';

let world: RestWorld;
let owner: Caller;
let membership: { projectId: string; agentId: string };
let agent: Awaited<ReturnType<typeof asker>>;

beforeAll(async () => {
  world = await RestWorld.create();
  owner = await world.owner();
  membership = await world.project();
  agent = await asker(world, membership);
});
afterAll(() => world.close());

const listed = (query = '') =>
  world.call(owner, 'GET', `/api/projects/${membership.projectId}/questions${query}`);
const answer = (toolUseId: string, body: unknown) =>
  world.call(owner, 'POST', `/api/questions/${toolUseId}/answer`, body);
const schedules = () => `/api/projects/${membership.projectId}/schedules`;

describe('questions by REST', () => {
  test('are listed, answered once, and stored with person, choice and time', async () => {
    const toolUseId = await agent.ask('Which?', { multiSelect: true });
    const { body } = await listed('?status=pending');
    expect(body.questions).toMatchObject([
      {
        toolUseId,
        projectId: membership.projectId,
        agentId: membership.agentId,
        status: 'pending',
        expiresAt: expect.any(String),
      },
    ]);
    const right = await answer(toolUseId, { answers: { 0: { selected: ['2', '0'], other: 'D' } } });
    expect(right).toMatchObject({
      status: 200,
      body: {
        status: 'answered',
        answers: { 0: { selected: ['0', '2'], other: 'D' } },
        answeredBy: 'owner',
        resolvedAt: expect.any(String),
      },
    });
    expect(await answer(toolUseId, { answers: { 0: '1' } })).toMatchObject({
      status: 409,
      body: {
        error: { code: 'question_already_answered', details: { status: 'answered', answeredBy: 'owner' } },
      },
    });
    expect((await listed('?status=pending')).body.questions).toEqual([]);
    expect((await listed('?status=answered')).body.questions).toHaveLength(1);
  });

  test.each([
    [{ answers: {} }],
    [{ answers: null }],
    [{ answers: '0' }],
    [{ answers: [] }],
    [{}],
    [{ answers: { 0: '9' } }],
    [{ answers: { 0: 1 } }],
    [{ answers: { 0: { selected: [0] } } }],
    [{ answers: { 'Which?': 'A' } }],
    [{ answers: { 0: '0', 1: '0' } }],
  ])('%j is 400 invalid_answer', async (body) => {
    const toolUseId = await agent.ask(`Not ${JSON.stringify(body)}?`);
    expect(await answer(toolUseId, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_answer' } },
    });
    expect(await answer(toolUseId, { answers: { 0: '0' } })).toMatchObject({ status: 200 });
  });

  test('an invalid body and an unknown question are refused', async () => {
    expect(await answer('toolu_none', { answers: { 0: '0' } })).toMatchObject({
      status: 404,
      body: { error: { code: 'question_not_found' } },
    });
    expect(await answer('toolu_none', { answers: { 0: '0' }, more: 1 })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_input' } },
    });
    for (const query of ['?status=open', '?limit=0', '?limit=201', '?cursor=x', '?more=1'])
      expect((await listed(query)).status).toBe(400);
  });

  test('pages are newest first, and each continues after the previous one', async () => {
    const project = await world.project();
    const other = await asker(world, project);
    const asked: string[] = [];
    for (const text of ['One?', 'Two?', 'Three?']) {
      const toolUseId = await other.ask(text);
      asked.push(toolUseId);
      await answer(toolUseId, { answers: { 0: '0' } });
    }
    const at = `/api/projects/${project.projectId}/questions?limit=2`;
    const first = (await world.call(owner, 'GET', at)).body;
    const second = (await world.call(owner, 'GET', `${at}&cursor=${first.nextCursor}`)).body;
    const ids = [...first.questions, ...second.questions].map((one: { toolUseId: string }) => one.toolUseId);
    expect(ids).toEqual(asked.toReversed());
    expect(second.nextCursor).toBeNull();
  });

  test('a pending question is in the inbox', async () => {
    const toolUseId = await agent.ask('Inbox?');
    const { status, body } = await world.call(owner, 'GET', '/api/inbox');
    expect(status).toBe(200);
    expect(body.items).toContainEqual({
      kind: 'question',
      projectId: membership.projectId,
      agentId: membership.agentId,
      refId: toolUseId,
      createdAt: expect.any(String),
      title: 'Inbox?',
    });
  });

  test('the inbox has a limit, 1 to 200', async () => {
    await agent.ask('One?');
    await world.context.tasks.create(owner, membership.projectId, { title: 'Stuck', status: 'blocked' });
    const { body } = await world.call(owner, 'GET', '/api/inbox?limit=1');
    expect(body.items).toHaveLength(1);
    for (const limit of ['0', '201', 'x'])
      expect((await world.call(owner, 'GET', `/api/inbox?limit=${limit}`)).status).toBe(400);
  });
});

describe('schedules by REST', () => {
  const body = () => ({ agentId: membership.agentId, cron: '0 9 * * 1-5', prompt: 'Report' });

  test('are created with defaults, changed, run and deleted', async () => {
    const made = await world.call(owner, 'POST', schedules(), body());
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...body(),
        timeZone: 'Asia/Tokyo',
        enabled: true,
        onMissed: 'skip',
        nextRunAt: expect.any(String),
      },
    });
    const at = `/api/schedules/${made.body.id}`;
    expect(await world.call(owner, 'PATCH', at, { onMissed: 'once', prompt: 'Again' })).toMatchObject({
      status: 200,
      body: { onMissed: 'once', prompt: 'Again', cron: '0 9 * * 1-5' },
    });
    expect(await world.call(owner, 'POST', `${at}/run`)).toMatchObject({
      status: 202,
      body: { lastRun: { outcome: 'started' } },
    });
    const { messages } = (
      await world.call(
        owner,
        'GET',
        `/api/projects/${membership.projectId}/agents/${membership.agentId}/chat/messages`,
      )
    ).body;
    expect(messages.at(-1)).toMatchObject({ content: 'Again', scheduleId: made.body.id, humanId: 'owner' });
    expect((await world.call(owner, 'GET', schedules())).body.schedules).toHaveLength(1);
    expect((await world.call(owner, 'DELETE', at)).status).toBe(204);
    expect((await world.call(owner, 'POST', `${at}/run`)).body.error.code).toBe('schedule_not_found');
  });

  test.each([
    [{ cron: 'often' }],
    [{ cron: '* * * * * *' }],
    [{ cron: '0 0 31 2 *' }],
    [{ timeZone: 'Mars/Olympus' }],
    [{ prompt: ' ' }],
    [{ onMissed: 'twice' }],
    [{ enabled: 'yes' }],
    [{ more: 1 }],
  ])('%j is 400 invalid_input', async (wrong) => {
    expect(await world.call(owner, 'POST', schedules(), { ...body(), ...wrong })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_input' } },
    });
  });
});
