import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { ClaudeWorld } from './claude-world.ts';

let world: ClaudeWorld;
afterEach(() => world.close());

/** Time is what this test is about: nothing could be waited for. */
const IDLE_MS = 8_000;

test('an open session that waits costs no request, neither before its first turn nor after it; it knows its models', async () => {
  world = await ClaudeWorld.make({ script: () => ({ text: 'ok' }) });
  const [used] = [await world.open(), await world.open()];
  await expect
    .poll(() => world.models.map(({ id }) => id))
    .toEqual(expect.arrayContaining(['sonnet', 'opus']));
  expect(world.models.map(({ id }) => id)).not.toContain('default');
  expect(world.model.hits).toEqual([]);
  await world.play(used, world.turn('Hello'));
  expect(world.model.hits).toEqual(['POST /v1/messages']);
  await delay(IDLE_MS);
  expect(world.model.hits).toEqual(['POST /v1/messages']);
  expect(world.elsewhere).toEqual([]);
});

test('what leaves this machine would be seen', async () => {
  world = await ClaudeWorld.make({
    script: () => ({ text: 'ok' }),
    env: { ANTHROPIC_BASE_URL: 'http://model.example' },
  });
  const session = await world.open();
  await world.play(session, world.turn('Hello'));
  expect(world.elsewhere.join()).toContain('model.example');
});
