import { afterEach, beforeEach, expect, test } from 'vitest';
import { LoopWorld } from './loop-world.ts';
import { ACTION, message } from './runner-world.ts';
import { DONE, ScriptedDriver, text } from './scripted-driver.ts';

/* What a driver tells a person of a conversation that is over takes as long as its model does. */

let world: LoopWorld;
beforeEach(async () => {
  world = await LoopWorld.make();
});
afterEach(() => world.close());

const OVER = ACTION.ended('max_messages');
const OVER_WAIT = { overWaitMs: 50 };

test('meanwhile messages are answered', async () => {
  const isAnswered = Promise.withResolvers<void>();
  const driver = new ScriptedDriver(
    async function* () {
      yield text('Here I am.');
      isAnswered.resolve();
      yield DONE;
    },
    { onOver: () => isAnswered.promise },
  );
  const { exit } = await world.live(driver, [OVER, ACTION.messages, ACTION.exit], OVER_WAIT);
  expect(await exit).toBe(0);
  expect(world.answers().map(({ content }) => content)).toEqual(['Here I am.']);
});

test('the session does not end before it is told', async () => {
  const isLeaving = Promise.withResolvers<void>();
  const driver = new ScriptedDriver([], {
    onOver: async ({ id }, { tools }) => {
      await isLeaving.promise;
      await tools.call('send_message', { target_agent_id: 'user', content: `${id} is over.` });
    },
  });
  const actions = [OVER, ACTION.exit];
  const { exit, server } = await world.live(driver, [], {
    ...OVER_WAIT,
    script: {
      get_next_action: () => {
        const action = actions.shift() ?? ACTION.exit;
        if (action === ACTION.exit) isLeaving.resolve();
        return action;
      },
      send_message: ({ content }) => ({ success: true, message: message('m', content), instruction: '' }),
    },
  });
  expect(await exit).toBe(0);
  expect(server.calls.map(({ tool }) => tool)).toEqual([
    'authenticate',
    'get_next_action',
    'get_next_action',
    'send_message',
    'logout',
  ]);
});

test('a driver that fails at it costs nothing but a line in the log', async () => {
  const driver = new ScriptedDriver([], { onOver: () => Promise.reject(new Error('no model')) });
  const { exit } = await world.live(driver, [OVER, ACTION.exit], OVER_WAIT);
  expect(await exit).toBe(0);
  expect(world.logged).toContain('turn failed: no model');
});
