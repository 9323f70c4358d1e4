import { indexingSchema, memorySearchSchema } from '@aizuchi/shared/contract/memory';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { meaningOf } from '../../../packages/shared/test/memory/vector-support.ts';
import { FakeOpenAi } from '../../fixtures/fake-openai.ts';
import { KillWorld } from '../kill/kill-support.ts';
import { until } from '../start/product-process.ts';

/** The product as it is started, with a model for embeddings that is a script on loopback. */
let world: KillWorld;
let server: FakeOpenAi;
let membership: { projectId: string; agentId: string };
beforeAll(async () => {
  server = await FakeOpenAi.start(() => ({ status: 500 }));
  server.embedding = (texts) => texts.map(meaningOf);
  world = await KillWorld.start({ EMBEDDING_BASE_URL: server.baseUrl, EMBEDDING_MODEL: 'm' });
  membership = await world.makeAgent('embedded');
  await world.open(membership);
});
afterAll(async () => {
  expect(await world.product.stop()).toBe(true);
  await server.close();
});

async function foundBy(query: string, id: string): Promise<readonly string[]> {
  const body = { query, projectId: membership.projectId, expand: false };
  const { items } = memorySearchSchema.parse(
    await world.call('POST', `/memory/${membership.agentId}/search`, body),
  );
  return items.find(({ sourceRefs }) => sourceRefs.includes(`msg:${id}`))?.hitSources ?? [];
}

it('what was said is found in words that nobody said, also after memory was killed with -9', async () => {
  const first = await world.write(membership, 'My hound barks', 'v1');
  await world.answered(membership, first.id);
  await until(async () => (await foundBy('puppy', first.id)).includes('vector'));
  await world.killService('memory');
  const second = await world.write(membership, 'the automobile is red', 'v2');
  await world.answered(membership, second.id);
  await until(async () => (await foundBy('vehicle', second.id)).includes('vector'));
  const { projectId, agentId } = membership;
  const indexing = () => world.call('GET', `/memory/${agentId}/indexing?projectId=${projectId}`);
  await until(async () => indexingSchema.parse(await indexing()).embeddings.pending === 0);
  expect(await indexing()).toMatchObject({ failedJobs: 0 });
});
