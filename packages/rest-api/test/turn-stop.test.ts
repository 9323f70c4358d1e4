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
