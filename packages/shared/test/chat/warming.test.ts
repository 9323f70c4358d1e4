import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { WARM_ON_HOVER } from '../../src/core/chat/rules/warming.ts';
import { WarmingService } from '../../src/core/chat/warming-service.ts';
import type { SettingsReader } from '../../src/core/deps.ts';
import type { MembershipKey } from '../../src/core/rules/work-key.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(() => world.close());
beforeEach(() => world.coordination.beat(beat(50)));

const beat = (capacity: number) => ({
  coordinatorId: 'c',
  host: 'h',
  bootId: 'b',
  instanceId: 'i',
  capacity,
  running: [],
  labels: [],
  roots: [],
});

function warmingWith(warmOnHover: number): WarmingService {
  const settings: SettingsReader = {
    current: async () => ({ ...(await world.deps.settings.current()), warmOnHover }),
  };
  return new WarmingService({ ...world.deps, settings }, world.chat);
}
const isAwakened = async ({ projectId, agentId }: MembershipKey) => {
  const sessions = await world.presence.agentSessions(world.owner, projectId);
  return sessions[agentId]?.chatStatus !== 'none';
};

test('by default a built-in agent is started as if its chat was opened, and an agent that costs is not', async () => {
  const warming = new WarmingService(world.deps, world.chat);
  const builtin = await world.agentInProject();
  expect(await warming.warm(world.owner, builtin)).toEqual({ status: 'started' });
  expect(await isAwakened(builtin)).toBe(true);
  expect(await warming.warm(world.owner, builtin)).toEqual({ status: 'refused', reason: 'awake' });
  const { caller } = await world.signIn(builtin);
  expect(caller.agentId).toBe(builtin.agentId);
  const claude = await world.agentInProject();
  await world.agents.update(world.owner, claude.agentId, { provider: 'claude' });
  expect(await warming.warm(world.owner, claude)).toEqual({ status: 'refused', reason: 'off' });
  expect(await isAwakened(claude)).toBe(false);
  expect(await warmingWith(WARM_ON_HOVER.all).warm(world.owner, claude)).toEqual({ status: 'started' });
});

test('a pointer that moves over a list starts three, and others have a quota of their own', async () => {
  const warming = warmingWith(WARM_ON_HOVER.builtin);
  const first = await world.agentInProject();
  const others = await Promise.all([1, 2, 3, 4].map(() => world.colleague(first)));
  const results = [];
  for (const membership of [first, ...others]) results.push(await warming.warm(world.owner, membership));
  expect(results.map(({ status, reason }) => reason ?? status)).toEqual([
    'started',
    'started',
    'started',
    'quota',
    'quota',
  ]);
  const elsewhere = await world.agentInProject();
  expect(await warming.warm(world.owner, elsewhere)).toEqual({ status: 'started' });
});

test('the last free place is kept for who opens a chat', async () => {
  // This Coordinator has started nothing; what waits takes a place of it.
  const { rows } = await world.database.pool.query(
    'select count(*)::int as waiting from pending_agent_purposes where started_at is null',
  );
  const { waiting } = rows[0];
  const warming = warmingWith(WARM_ON_HOVER.builtin);
  const membership = await world.agentInProject();
  await world.coordination.beat(beat(waiting + 1));
  expect(await warming.warm(world.owner, membership)).toEqual({ status: 'refused', reason: 'no_place' });
  await world.coordination.beat(beat(waiting + 2));
  expect(await warming.warm(world.owner, membership)).toEqual({ status: 'started' });
});

test('who may not write in the project starts nothing', async () => {
  const membership = await world.agentInProject();
  const viewer = { ...world.owner, accessLevel: 'viewer' as const };
  await expect(warmingWith(WARM_ON_HOVER.all).warm(viewer, membership)).rejects.toMatchObject({
    code: expect.stringMatching(/forbidden|project_not_found/),
  });
  expect(await isAwakened(membership)).toBe(false);
});
