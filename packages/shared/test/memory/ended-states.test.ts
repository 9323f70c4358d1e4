import { afterAll, beforeAll, expect, it } from 'vitest';
import { searchMemoryBodySchema } from '../../src/contract/memory.ts';
import { MemoryService } from '../../src/core/memory/memory-service.ts';
import type { MemoryRetrieval } from '../../src/core/memory/retrieval/memory-retrieval.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { retrievalOf } from './memory-support.ts';
import { AT, aState, secondsLater } from './stored-memory.ts';

/* A person says that something is so no more: it is recalled as what was, behind what is. */

const DAY_MS = 86_400_000;

let world: ServiceWorld;
let retrieval: MemoryRetrieval;
let memory: MemoryService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  retrieval = retrievalOf(world);
  memory = new MemoryService(world.deps);
});
afterAll(() => world.close());

async function anEndedState() {
  const { agentId } = await world.agentInProject();
  const now = await aState(world, agentId, { bodyText: 'Ann lives in Osaka', at: AT });
  const ended = await aState(world, agentId, { bodyText: 'Ann lives in Tokyo', at: secondsLater(1) });
  const validTo = new Date(world.clock.now().getTime() - DAY_MS).toISOString();
  await memory.updateState(world.owner, { agentId, id: ended }, { validTo });
  const search = async (more: object = {}) =>
    (
      await retrieval.search(
        { agentId, projectId: undefined },
        searchMemoryBodySchema.parse({ query: 'Where does Ann live?', ...more }),
      )
    ).items.map(({ id, text }) => [id, text]);
  return { agentId, now, ended, search, mark: `[… – ${validTo.slice(0, 10)}] ` };
}

it('is found behind what is so now, and says until when it was', async () => {
  const { now, ended, mark, search } = await anEndedState();
  expect(await search()).toEqual([
    [now, 'Ann lives in Osaka'],
    [ended, `${mark}Ann lives in Tokyo`],
  ]);
});

it('is not recalled as news, and by its words with its end', async () => {
  const { agentId, now, ended, mark } = await anEndedState();
  const scope = { agentId, projectId: undefined };
  const recall = async (text: string) =>
    (await retrieval.recall(scope, { text, clientId: 'c' })).pack.selected.map(
      ({ state_id: id, snippet }) => [id, snippet],
    );
  expect(await recall('good morning')).toEqual([[now, 'Ann lives in Osaka']]);
  expect(await recall('Where does Ann live?')).toEqual([
    [now, 'Ann lives in Osaka'],
    [ended, `${mark}Ann lives in Tokyo`],
  ]);
  const chosen = retrievalOf(world, {
    selector: async () => ({ selected: [{ state_id: ended, why: 'then', snippet: 'lives in Tokyo' }] }),
  });
  const { pack } = await chosen.recall(scope, { text: 'Where does Ann live?', clientId: 'c' });
  expect(pack.selected).toMatchObject([{ state_id: ended, snippet: `${mark}lives in Tokyo` }]);
});

it('what ends later is so now', async () => {
  const { agentId, ended, search } = await anEndedState();
  const validTo = new Date(world.clock.now().getTime() + DAY_MS).toISOString();
  await memory.updateState(world.owner, { agentId, id: ended }, { validTo });
  expect(await search()).toContainEqual([ended, 'Ann lives in Tokyo']);
});
