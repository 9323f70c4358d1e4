import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTurn, saidIn } from './turn-client.ts';
import { TurnWorld } from './turn-world.ts';

let world: TurnWorld;
beforeAll(async () => {
  world = await TurnWorld.create();
});
afterAll(() => world.close());

const NEVER = new Promise(() => undefined);

interface Place {
  readonly projectId: string;
  readonly agentId: string;
}

const ENDS: [string, 'DELETE' | 'PATCH', (place: Place) => string, object?][] = [
  ['is deleted', 'DELETE', ({ agentId }) => `/api/agents/${agentId}`],
  ['is removed', 'DELETE', ({ projectId, agentId }) => `/api/projects/${projectId}/agents/${agentId}`],
  [
    'has its project archived',
    'PATCH',
    ({ projectId }) => `/api/projects/${projectId}`,
    { status: 'archived' },
  ],
  ['has its project deleted', 'DELETE', ({ projectId }) => `/api/projects/${projectId}`],
];

test.each(ENDS)(
  'the turn of an agent that %s ends, and what was said is kept',
  async (_what, method, pathOf, body) => {
    world.script = () => ({ text: ['So far', ' so good'], until: NEVER });
    const { rest, token } = world;
    const place = await rest.project();
    const left = world.model.left;
    const turn = await world.say('Hi', place);
    await expect.poll(() => saidIn(turn.frames)).toBe('So far');
    const { status } = await rest.call({ token }, method, pathOf(place), body);
    expect(status).toBeLessThan(300);
    await turn.ended;
    await expect.poll(() => world.model.left).toBe(left + 1);
    await expect
      .poll(() => world.event(turn.eventId))
      .toMatchObject({ assistantText: 'So far', assistantState: 'partial' });
  },
);

test('who may still read it is told why', async () => {
  world.script = () => ({ text: ['So far', ' so good'], until: NEVER });
  const { rest, token } = world;
  const place = await rest.project();
  const turn = await world.say('Hi', place);
  await expect.poll(() => saidIn(turn.frames)).toBe('So far');
  await rest.call({ token }, 'DELETE', `/api/projects/${place.projectId}/agents/${place.agentId}`);
  await turn.ended;
  expect(turn.frames.at(-1)).toMatchObject({
    event: 'error',
    data: { code: 'llm_stream_failed', message: expect.stringContaining('エージェント') },
  });
});

test('a general turn goes on without a project, and ends with its agent', async () => {
  world.script = () => ({ text: ['So far', ' so good'], until: NEVER });
  const { rest, token } = world;
  const { agentId } = await rest.project();
  const turn = await world.say('Hi', { agentId, projectId: undefined });
  await expect.poll(() => saidIn(turn.frames)).toBe('So far');
  await renewed(turn.eventId);
  await renewed(turn.eventId);
  await rest.call({ token }, 'DELETE', `/api/agents/${agentId}`);
  await turn.ended;
  expect(turn.frames.at(-1)?.event).toBe('error');
});

/** The process of a turn has asked once more whether the turn may go on. */
async function renewed(eventId: string): Promise<void> {
  const turns = world.rest.context.database.db.selectFrom('chatTurns').select('leaseUntil');
  const leaseUntil = async () =>
    (await turns.where('eventId', '=', eventId).executeTakeFirstOrThrow()).leaseUntil.getTime();
  const before = await leaseUntil();
  await expect.poll(leaseUntil).toBeGreaterThan(before);
}

test('who leaves the project reads no further in the turn that they began', async () => {
  const { rest, projectId, agentId } = world;
  const member = await rest.person('member', { projects: [projectId] });
  const { promise, resolve } = Promise.withResolvers<void>();
  world.script = () => ({ text: ['Before', ' and after'], until: promise });
  const body = { agentId, projectId, text: 'Hi' };
  const turn = await readTurn(world.url, { token: member.token, body });
  await expect.poll(() => saidIn(turn.frames)).toBe('Before');
  await rest.call({ token: world.token }, 'DELETE', `/api/projects/${projectId}/agents/${member.id}`);
  rest.clock.advance(2_000);
  resolve();
  await turn.ended;
  expect(saidIn(turn.frames)).toBe('Before');
  await expect.poll(async () => (await world.event(turn.eventId)).assistantText).toBe('Before and after');
});
