import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { unitVector } from '../../src/core/memory/rules/vectors.ts';
import { ShardQueries } from '../../src/core/memory/vectors/shard-queries.ts';
import { Shards } from '../../src/core/memory/vectors/shards.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { tell } from './memory-support.ts';
import { meaningOf, VectorWorld } from './vector-support.ts';

/* What of the vectors is in memory. */

const MODEL = 'model-a';
/** Of a vector of the model of these tests. */
const VECTOR_BYTES = 48 * 4;
/** Of the smallest shard. */
const SHARD_BYTES = 16 * VECTOR_BYTES;

let world: ServiceWorld;
let vectors: VectorWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
  vectors = await VectorWorld.create(world);
});
beforeEach(() => vectors.reset());
afterAll(async () => {
  await vectors.close();
  await world.close();
});

const input = (agentId: string) => {
  const query = unitVector(meaningOf('puppy'));
  if (!query) throw new Error('no vector');
  return { agentId, model: MODEL, projectId: undefined, asOf: null, query, limit: 5 };
};

async function agentWith(...texts: string[]) {
  const { agentId } = await world.agentInProject();
  const ids = await tell(
    world.database,
    texts.map((text) => ({ agentId, text })),
  );
  return { agentId, ids };
}

it('keeps as many as fit, those that were used last', async () => {
  const agents = [await agentWith('hound'), await agentWith('dog'), await agentWith('hound')];
  await vectors.worker(MODEL).runOnce();
  const shards = new Shards(new ShardQueries(world.database), { maxBytes: 2 * SHARD_BYTES });
  for (const { agentId, ids } of [...agents, ...agents])
    expect((await shards.nearest(input(agentId))).items).toEqual(ids);
  expect(shards.count).toBe(2);
  const none = new Shards(new ShardQueries(world.database), { maxBytes: 0 });
  for (const { agentId, ids } of agents) expect((await none.nearest(input(agentId))).items).toEqual(ids);
  expect(none.count).toBe(1);
});

it('loads what was written since, also long after, and what was written anew', async () => {
  const { agentId, ids } = await agentWith('hound');
  const worker = vectors.worker(MODEL);
  await worker.runOnce();
  let now = 0;
  const shards = new Shards(new ShardQueries(world.database), { now: () => now });
  const found = async () => (await shards.nearest(input(agentId))).items.toSorted();
  expect(await found()).toEqual(ids);
  for (const text of ['dog', 'puppy', 'dog']) {
    now += 31_000;
    ids.push(...(await tell(world.database, [{ agentId, text }])));
    await worker.runOnce();
    expect(await found()).toEqual(ids.toSorted());
  }
  await world.database.pool.query('delete from memory_events where id = $1', [ids.shift()]);
  expect(await found()).toEqual(ids.toSorted());
});

it('searches at once load what is missing once, and all find it', async () => {
  const { agentId, ids } = await agentWith('hound', 'dog');
  await vectors.worker(MODEL).runOnce();
  const shards = new Shards(new ShardQueries(world.database));
  const answers = await Promise.all(Array.from({ length: 4 }, () => shards.nearest(input(agentId))));
  for (const { items, vectors: compared } of answers)
    expect([items.toSorted(), compared]).toEqual([ids.toSorted(), 2]);
});

it('finds what is left after a large deletion at once', async () => {
  const { agentId, ids } = await agentWith('hound in a garden', ...Array<string>(40).fill('hound'));
  await vectors.worker(MODEL).runOnce();
  const shards = new Shards(new ShardQueries(world.database));
  expect((await shards.nearest(input(agentId))).items).toHaveLength(5);
  const [left, ...gone] = ids;
  await world.database.pool.query('delete from memory_events where id = any($1)', [gone]);
  const answers = await Promise.all(Array.from({ length: 3 }, () => shards.nearest(input(agentId))));
  for (const { items } of answers) expect(items).toEqual([left]);
  expect((await shards.nearest(input(agentId))).vectors).toBe(1);
});

it('an agent with more vectors than fit is not loaded until enough are deleted', async () => {
  const { agentId, ids } = await agentWith('hound', 'dog');
  const worker = vectors.worker(MODEL);
  await worker.runOnce();
  let now = 0;
  const shards = new Shards(new ShardQueries(world.database), {
    maxBytesOfOne: 2 * VECTOR_BYTES,
    now: () => now,
  });
  const found = async () => {
    const { items, isTooLarge } = await shards.nearest(input(agentId));
    return [items.toSorted(), isTooLarge];
  };
  const say = async (text: string) => {
    ids.push(...(await tell(world.database, [{ agentId, text }])));
    await worker.runOnce();
  };
  const unsayFirst = () =>
    world.database.pool.query('delete from memory_events where id = $1', [ids.shift()]);
  expect(await found()).toEqual([ids.toSorted(), false]);
  await unsayFirst();
  await say('puppy');
  expect(await found()).toEqual([ids.toSorted(), false]);
  await say('dog');
  expect(await found()).toEqual([[], true]);
  await unsayFirst();
  now += 600_000;
  expect(await found()).toEqual([ids.toSorted(), false]);
});
