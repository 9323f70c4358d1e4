import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { statusOf } from '../chat/chat-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(() => world.close());

it('an agent stays warm while others are warmed, however long a busy machine takes for that', async () => {
  const [first, second] = [await world.agentInProject(), await world.agentInProject()];
  await world.warmAgent(first);
  world.clock.advance(10_000);
  await world.warmAgent(second);
  for (const membership of [first, second])
    expect(await statusOf(world, membership)).toMatchObject({ chat: 1 });
});
