import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { CoordinatorBeat } from '../../src/core/coordinators/coordinator-beat.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(() => world.close());

const beat = (changes: Partial<CoordinatorBeat> = {}): CoordinatorBeat => ({
  coordinatorId: 'a',
  host: 'host-a',
  bootId: 'boot-1',
  instanceId: 'home-a',
  capacity: 1,
  running: [],
  labels: [],
  roots: [],
  ...changes,
});
/** How many statements this beat costs, some time after the end of a call with `beat()`. */
async function costOf(later: CoordinatorBeat, afterMs = 0): Promise<number> {
  await world.coordination.seen(beat());
  world.clock.advance(afterMs);
  const statement = vi.spyOn(world.database, 'statement');
  await world.coordination.beat(later);
  const count = statement.mock.calls.length;
  statement.mockRestore();
  return count;
}

test('a beat right after the end of a call that said the same costs nothing; any other one does', async () => {
  expect(await world.coordination.beat(beat())).toEqual({ isAtRest: false });
  expect(await costOf(beat())).toBe(0);
  expect(await costOf(beat(), 1_000)).toBeGreaterThan(0);
  expect(await costOf(beat({ instanceId: undefined, running: ['run_1'] })).catch(() => 'refused')).toBe(
    'refused',
  );
  expect(await costOf(beat({ labels: ['gpu'] }))).toBeGreaterThan(0);
  // What is stored is not what the ended call said.
  expect(await costOf(beat())).toBeGreaterThan(0);
  expect(await costOf(beat())).toBe(0);
  // Each end of a call counts once.
  const statement = vi.spyOn(world.database, 'statement');
  await world.coordination.beat(beat());
  expect(statement.mock.calls.length).toBeGreaterThan(0);
  statement.mockRestore();
});

test('the end of a call tells of work, and with a run that lives the next beat is looked at', async () => {
  const seen = () => world.coordination.seen(beat());
  expect(await seen()).toMatchObject({ hasWork: false });
  const membership = await world.agentInProject();
  await world.chat.post(world.owner, { ...membership, content: 'hi' });
  expect(await seen()).toMatchObject({ hasWork: true });
  const action = await world.coordination.getAgentAction({
    ...membership,
    coordinatorId: 'a',
    instanceId: 'home-a',
  });
  expect(action.action).toBe('start');
  expect(await seen()).toMatchObject({ hasWork: false });
  expect(await costOf(beat())).toBeGreaterThan(0);
  expect(await world.coordination.seen(beat({ host: 'another' }))).toMatchObject({ hasWork: true });
});
