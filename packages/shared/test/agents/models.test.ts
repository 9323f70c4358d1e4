import { afterAll, beforeAll, expect, test } from 'vitest';
import { ModelService } from '../../src/core/agents/model-service.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';

let world: ServiceWorld;
let models: ModelService;

beforeAll(async () => {
  world = await ServiceWorld.create();
  models = new ModelService(world.deps);
});
afterAll(() => world.close());

async function started(agent: object) {
  const membership = await world.agentInProject({});
  const { agentId } = membership;
  await world.agents.update(world.owner, agentId, agent);
  const { caller } = await world.warmAgent(membership);
  return { agentId, caller };
}
const idsFor = async (query: Parameters<ModelService['known']>[1]) =>
  (await models.known(world.owner, query)).models.map(({ id }) => id);

test('a start of one agent tells what others of its provider and program can choose', async () => {
  expect(await models.known(world.owner, { provider: 'claude' })).toEqual({ models: [], seenAt: null });
  const first = await started({ provider: 'claude' });
  await models.report(first.caller, [
    { id: 'sonnet', name: 'Sonnet', about: 'For daily work' },
    { id: 'opus' },
  ]);
  expect(await models.known(world.owner, { provider: 'claude' })).toEqual({
    models: [{ id: 'sonnet', name: 'Sonnet', about: 'For daily work' }, { id: 'opus' }],
    seenAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  // The newest counts, but to an agent its own.
  const second = await started({ provider: 'claude' });
  world.clock.advance(1_000);
  await models.report(second.caller, [{ id: 'haiku' }]);
  expect(await idsFor({ provider: 'claude' })).toEqual(['haiku']);
  expect(await idsFor({ provider: 'claude', agentId: first.agentId })).toEqual(['sonnet', 'opus']);
  await models.report(first.caller, [{ id: 'fable' }]);
  expect(await idsFor({ provider: 'claude', agentId: first.agentId })).toEqual(['fable']);
});

test('programs of provider acp are told apart, and what was offered to a deleted agent is forgotten', async () => {
  const command = { file: '/usr/local/bin/gemini', args: ['--acp'] };
  const { agentId, caller } = await started({ provider: 'acp', command });
  await models.report(caller, [{ id: 'gemini-2.5-pro' }]);
  expect(await idsFor({ provider: 'acp', program: 'gemini --acp' })).toEqual(['gemini-2.5-pro']);
  expect(await idsFor({ provider: 'acp', program: 'codex-acp' })).toEqual([]);
  expect(await idsFor({ provider: 'acp' })).toEqual([]);
  await world.agents.remove(world.owner, agentId);
  expect(await idsFor({ provider: 'acp', program: 'gemini --acp' })).toEqual([]);
});

test('only owners are told', async () => {
  const person = { ...world.owner, accessLevel: 'member' as const };
  await expect(models.known(person, { provider: 'claude' })).rejects.toMatchObject({ code: 'forbidden' });
});
