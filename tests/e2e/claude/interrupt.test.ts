import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { playing } from '../../fixtures/fake-anthropic.ts';
import { ClaudeWorld } from './claude-world.ts';

let world: ClaudeWorld;
afterEach(() => world.close());

const never = new Promise<never>(() => undefined);

test('Stop in the middle of an answer ends the turn, and the session goes on', async () => {
  world = await ClaudeWorld.make({
    script: playing({
      long: [{ text: ['The first half', never] }],
      'And now?': [{ text: 'The next answer' }],
    }),
  });
  const session = await world.open();
  const stop = new AbortController();
  const { end } = await world.play(session, world.turn('long', { signal: stop.signal }), ({ type }) => {
    if (type === 'text') stop.abort();
  });
  expect(end).toEqual({ type: 'end', reason: 'interrupted' });
  const next = await world.play(session, world.turn('And now?'));
  expect(next).toMatchObject({ answer: 'The next answer', end: { reason: 'done' } });
});

test('Stop in the middle of a command ends the command', async () => {
  world = await ClaudeWorld.make({
    script: playing({ work: [{ tool: 'Bash', input: { command: 'sleep 30; touch late' } }] }),
  });
  const session = await world.open();
  const stop = new AbortController();
  const turn = world.turn('work', { signal: stop.signal, approve: async () => ({ decision: 'allow_once' }) });
  const { end, steps } = await world.play(session, turn, (event) => {
    if (event.type === 'step') stop.abort();
  });
  expect(end).toEqual({ type: 'end', reason: 'interrupted' });
  expect(steps).toEqual([expect.objectContaining({ kind: 'command', status: 'failed' })]);
  expect((await world.play(session, world.turn('And now?'))).answer).toBe('ok');
  expect(existsSync(join(world.folder, 'late'))).toBe(false);
});

test('Stop while a card is open, and before the model has said anything', async () => {
  const question = { question: 'Which?', header: 'Which', multiSelect: false };
  const options = ['a', 'b'].map((label) => ({ label, description: '' }));
  world = await ClaudeWorld.make({
    script: playing({
      ask: [{ tool: 'AskUserQuestion', input: { questions: [{ ...question, options }] } }],
      silent: [() => never],
    }),
  });
  const session = await world.open();
  const stop = new AbortController();
  const asking = world.turn('ask', {
    signal: stop.signal,
    ask: async () => {
      stop.abort();
      return { status: 'cancelled', answers: {} };
    },
  });
  expect((await world.play(session, asking)).end.reason).toBe('interrupted');
  const second = new AbortController();
  const silent = world.play(session, world.turn('silent', { signal: second.signal }));
  await expect.poll(() => world.model.requests.length).toBe(2);
  second.abort();
  expect((await silent).end.reason).toBe('interrupted');
  const third = new AbortController();
  const atOnce = world.play(session, world.turn('silent', { signal: third.signal }));
  third.abort();
  expect((await atOnce).end.reason).toBe('interrupted');
  expect((await world.play(session, world.turn('And now?'))).answer).toBe('ok');
  expect(world.model.requests.length).toBeLessThanOrEqual(4);
});
