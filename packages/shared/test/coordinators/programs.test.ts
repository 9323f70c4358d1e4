import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CoordinatorBeat } from '../../src/core/coordinators/coordinator-beat.ts';
import { ProgramService } from '../../src/core/coordinators/program-service.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';

let world: ServiceWorld;
let programs: ProgramService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  programs = new ProgramService(world.deps);
});
afterAll(() => world.close());

const beat = (id: string): CoordinatorBeat => ({
  coordinatorId: id,
  host: `host-${id}`,
  bootId: 'boot-1',
  instanceId: `home-${id}`,
  capacity: 1,
  running: [],
  labels: [],
  roots: [],
});
const hosts = async () => (await programs.known(world.owner)).hosts;
const isAsked = async (id: string) => (await world.coordination.seen(beat(id))).lookForPrograms;
const GEMINI = { id: 'gemini', state: 'found', version: '0.61.0', isSignedIn: false } as const;

test('nothing is known of a host before a person asked; then its Coordinator is asked until it answers', async () => {
  await world.coordination.beat(beat('a'));
  expect(await isAsked('a')).toBe(false);
  const host = { coordinatorId: 'a', host: 'host-a', programs: [], seenAt: null };
  expect(await hosts()).toEqual([{ ...host, isLooking: false }]);
  expect((await programs.look(world.owner)).hosts).toEqual([{ ...host, isLooking: true }]);
  expect([await isAsked('a'), await isAsked('a')]).toEqual([true, true]);
  world.clock.advance(1_000);
  await programs.report({ coordinatorId: 'a', instanceId: 'home-a', programs: [GEMINI] });
  expect(await isAsked('a')).toBe(false);
  const seen = { ...host, isLooking: false, programs: [GEMINI], seenAt: expect.any(String) };
  expect(await hosts()).toEqual([seen]);
  // A look costs processes.
  expect((await programs.look(world.owner)).hosts).toEqual([seen]);
  world.clock.advance(12_000);
  await world.coordination.beat(beat('a'));
  expect((await programs.look(world.owner)).hosts).toEqual([{ ...seen, isLooking: true }]);
  expect(await isAsked('a')).toBe(true);
});

test('a Coordinator that does not answer is not waited for, and one that is silent is left out', async () => {
  world.clock.advance(60_000);
  await world.coordination.beat(beat('b'));
  await programs.look(world.owner);
  expect(await hosts()).toMatchObject([{ coordinatorId: 'b', isLooking: true }]);
  world.clock.advance(31_000);
  await world.coordination.beat(beat('b'));
  expect(await hosts()).toMatchObject([{ coordinatorId: 'b', isLooking: false, seenAt: null }]);
});

test('what another Coordinator with this id says does not count, nor what one says that is not known', async () => {
  await world.coordination.beat(beat('c'));
  const report = { coordinatorId: 'c', instanceId: 'another home', programs: [GEMINI] };
  await expect(programs.report(report)).rejects.toMatchObject({ code: 'coordinator_id_taken' });
  await programs.report({ coordinatorId: 'nobody', programs: [GEMINI] });
  expect((await hosts()).flatMap((host) => host.programs)).toEqual([]);
});

test('only owners are told', async () => {
  const member = { ...world.owner, accessLevel: 'member' as const };
  await expect(programs.known(member)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(programs.look(member)).rejects.toMatchObject({ code: 'forbidden' });
});
