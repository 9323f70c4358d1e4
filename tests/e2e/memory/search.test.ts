import { type MemorySearch, memorySearchSchema, retrievalRunSchema } from '@aizuchi/shared/contract/memory';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KillWorld } from '../kill/kill-support.ts';
import { until } from '../start/product-process.ts';

/** What people find of what was said, in the whole product. */
let world: KillWorld;
let membership: { projectId: string; agentId: string };
beforeAll(async () => {
  world = await KillWorld.start();
  membership = await world.makeAgent('found');
  await world.open(membership);
});
afterAll(async () => {
  await world.product.stop();
});

const body = (query: string) => ({ query, projectId: membership.projectId, expand: false });

async function search(query: string): Promise<MemorySearch> {
  return memorySearchSchema.parse(
    await world.call('POST', `/memory/${membership.agentId}/search`, body(query)),
  );
}

/** The first search that finds a message. */
async function found(query: string, id: string): Promise<MemorySearch> {
  let result = await search(query);
  await until(async () => {
    if (!isIn(result, id)) result = await search(query);
    return isIn(result, id);
  });
  return result;
}

const isIn = ({ items }: MemorySearch, id: string) =>
  items.some(({ sourceRefs }) => sourceRefs.includes(`msg:${id}`));

it('what was said in a chat is found, with the retrieval that found it', async () => {
  const { id } = await world.write(membership, '来週の出張は札幌です', 'm1');
  await world.answered(membership, id);
  const { runId, items } = await found('札幌', id);
  expect(items[0]).toMatchObject({ rank: 1, type: 'event', text: expect.stringContaining('札幌') });
  const run = await world.call(
    'GET',
    `/memory/${membership.agentId}/retrieval-runs/${runId}?projectId=${membership.projectId}`,
  );
  expect(retrievalRunSchema.parse(run)).toMatchObject({ id: runId, planSource: 'rules' });
});

it('memory killed with -9 while people write: the chat goes on, and all is found once afterwards', async () => {
  const messages = [];
  for (let n = 0; n < 3; n += 1) messages.push(await world.write(membership, `暗証語は apple${n}`, `k${n}`));
  await world.killService('memory');
  for (let n = 3; n < 6; n += 1) messages.push(await world.write(membership, `暗証語は apple${n}`, `k${n}`));
  for (const { id } of messages) await world.answered(membership, id);
  for (const [n] of messages.entries())
    await until(async () => (await search(`apple${n}`)).items.some(({ text }) => text.includes(`apple${n}`)));
  const found = await search('暗証語');
  const refs = found.items.flatMap(({ sourceRefs }) => sourceRefs);
  expect(new Set(refs).size).toBe(refs.length);
});
