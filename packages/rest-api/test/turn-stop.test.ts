import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { expect, test } from 'vitest';
import { RestWorld } from './rest-world.ts';
import { readTurn, saidIn } from './turn-client.ts';
import { TurnWorld } from './turn-world.ts';

test('without a configured model the stream says so, and what was said is kept as unanswered', async () => {
  const rest = await RestWorld.create();
  try {
    const { projectId, agentId } = await rest.project();
    const { token } = await rest.owner();
    const turn = await readTurn(`${rest.url}/api/chat`, {
      token,
      body: { projectId, agentId, text: 'Remember me' },
    });
    await turn.ended;
    expect(turn.status).toBe(200);
    expect(turn.frames).toEqual([
      {
        id: 1,
        event: 'error',
        data: { code: 'llm_unavailable', message: expect.stringContaining('LLM_MODEL') },
      },
    ]);
    const events = await rest.context.database.db.selectFrom('memoryEvents').selectAll().execute();
    expect(events).toMatchObject([
      { userText: 'Remember me', assistantText: null, assistantState: 'failed' },
    ]);
  } finally {
    await rest.close();
  }
});

test.each([
  ['at once', { firstMs: 300, nextMs: LONG_TIMEOUT_MS }, {}, 'failed', null],
  ['in the middle', { firstMs: LONG_TIMEOUT_MS, nextMs: 300 }, { text: 'So far' }, 'partial', 'So far'],
])('a model that says nothing any more is left %s', async (_when, silence, reply, state, kept) => {
  const world = await TurnWorld.create({ silence });
  try {
    world.script = () => ({ ...reply, ending: 'silence' });
    const turn = await world.say('Hi');
    await turn.ended;
    expect(turn.frames.at(-1)).toMatchObject({ event: 'error', data: { code: 'llm_stream_failed' } });
    expect(await world.event(turn.eventId)).toMatchObject({ assistantState: state, assistantText: kept });
    // None on a machine that stood still for the 300 ms in which it is asked.
    await expect.poll(() => world.model.left).toBe(world.model.requests.length);
  } finally {
    await world.close();
  }
});

test('a turn can be stopped while it recalls', async () => {
  const world = await TurnWorld.create();
  try {
    const asked = Promise.withResolvers<void>();
    world.memory.answer = () => {
      asked.resolve();
      return new Promise(() => undefined);
    };
    const turn = await world.say('Hi');
    await asked.promise;
    await world.rest.call({ token: world.token }, 'DELETE', `/api/chat/${turn.eventId}`);
    await turn.ended;
    expect(turn.frames).toMatchObject([{ event: 'done', data: { reply_text: '' } }]);
    expect(await world.event(turn.eventId)).toMatchObject({ assistantState: 'failed', assistantText: null });
    expect(world.model.requests).toEqual([]);
  } finally {
    await world.close();
  }
});

test('a turn whose event is deleted ends, and leaves nothing', async () => {
  const world = await TurnWorld.create();
  try {
    world.script = () => ({ text: ['So far', ' so good'], until: new Promise(() => undefined) });
    const turn = await world.say('Forget this');
    await expect.poll(() => saidIn(turn.frames)).toBe('So far');
    const { db } = world.rest.context.database;
    await db.deleteFrom('memoryEvents').where('id', '=', turn.eventId).execute();
    await turn.ended;
    expect(turn.frames.at(-1)?.event).toBe('error');
    for (const table of ['memoryEvents', 'memoryDocuments', 'chatTurns'] as const)
      expect(await db.selectFrom(table).selectAll().execute()).toEqual([]);
  } finally {
    await world.close();
  }
});

test('a server that stops ends its turns, keeps what they said, and takes no new ones', async () => {
  const world = await TurnWorld.create();
  try {
    world.script = () => ({ text: ['So far', ' so good'], until: new Promise(() => undefined) });
    const turn = await world.say('Hi');
    await expect.poll(() => saidIn(turn.frames)).toBe('So far');
    await world.rest.context.stopTurns();
    await turn.ended;
    expect(turn.frames.at(-1)).toMatchObject({ event: 'error', data: { code: 'llm_stream_failed' } });
    expect(await world.event(turn.eventId)).toMatchObject({
      assistantText: 'So far',
      assistantState: 'partial',
    });
    expect((await world.say('Hi')).status).toBe(503);
  } finally {
    await world.close();
  }
});

test('a model that never ends is left when a turn may not last longer', async () => {
  const world = await TurnWorld.create();
  try {
    await world.rest.call({ token: world.token }, 'PUT', '/api/settings', { turnTimeoutSeconds: 1 });
    world.script = () => ({ text: 'So far', ending: 'silence' });
    const turn = await world.say('Hi');
    await turn.ended;
    expect(turn.frames.at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'llm_stream_failed', message: expect.stringContaining('TURN_TIMEOUT_SECONDS') },
    });
    expect((await world.event(turn.eventId)).assistantText ?? '').toBe(saidIn(turn.frames));
  } finally {
    await world.close();
  }
});
