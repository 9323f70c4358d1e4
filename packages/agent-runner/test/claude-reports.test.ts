import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScriptedClaudeWorld, scriptOf } from './claude-world.ts';
import { message } from './runner-world.ts';

/* The report of a conversation that is over is a turn that nobody waits for. */

let world: ScriptedClaudeWorld;
beforeEach(async () => {
  world = await ScriptedClaudeWorld.make();
});
afterEach(() => world.close());

/** What the model does is written in the last message of the other agent. */
const over = (...actions: Parameters<typeof scriptOf>[0]) => ({
  id: 'conv_1',
  reason: 'max_messages',
  unread: [message('msg_o', scriptOf(actions), { senderName: 'Kodama' })],
});

test('it is written to the person', async () => {
  const session = await world.open();
  await session.conversationOver?.(over({ say: 'It is released.' }));
  expect(world.written).toEqual(['It is released.']);
  expect(world.spent).toHaveLength(1);
});

test.each(['until interrupted', 'deaf'] as const)(
  'one that hangs (%s) makes room for a turn of the chat, which hears what it was about',
  async (hang) => {
    const session = await world.open();
    const reported = session.conversationOver?.(over({ hang }));
    await world.untilHanging();
    const { answer } = await world.play(session, world.turn([{ say: 'Well.' }]));
    expect(answer).toBe('Well.');
    await reported;
    expect(world.written).toEqual([]);
    const last = String((await world.given('user')).at(-1));
    expect(last).toContain('The conversation conv_1 about "the release" has ended (max_messages)');
    expect(last).toContain('has not been told of it yet');
  },
);

test('one that hangs ends with its session', async () => {
  const session = await world.open();
  const reported = session.conversationOver?.(over({ hang: 'until interrupted' }));
  await world.untilHanging();
  await session.close();
  await reported;
  expect(world.written).toEqual([]);
});

test('what a turn was to hear that was interrupted before it began, the next one hears', async () => {
  const session = await world.open();
  await session.conversationOver?.({ ...over(), reason: 'usage_limit' });
  await world.play(session, world.turn('Hello', { signal: AbortSignal.abort() }));
  await world.play(session, world.turn([{ say: 'Hello.' }]));
  const heard = await world.given('user');
  expect(heard).toEqual([expect.stringContaining('has ended (usage_limit)')]);
});
