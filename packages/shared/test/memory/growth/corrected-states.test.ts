import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { MemoryService } from '../../../src/core/memory/memory-service.ts';
import { ServiceWorld } from '../../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../../src/testing/timeouts.ts';
import { chatEvents, secondsLater } from '../stored-memory.ts';
import { grow } from './growth-support.ts';

let world: ServiceWorld;
let memories: MemoryService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  memories = new MemoryService(world.deps);
});
afterAll(() => world.close());

const tell = (agentId: string, ...texts: string[]) =>
  chatEvents(
    world,
    agentId,
    texts.map((userText, n) => ({ userText, actor: 'Mika', createdAt: secondsLater(n) })),
  );

/** Newest first. */
const statesOf = async (agentId: string, kind: 'fact' | 'summary' = 'fact') =>
  (await memories.listStates(world.owner, agentId, { kind, limit: 100 })).states;

const valid = async (agentId: string) =>
  (await statesOf(agentId)).filter(({ validTo }) => validTo === null).map(({ bodyText }) => bodyText);

async function living(place: string) {
  const { agentId } = await world.agentInProject();
  await tell(agentId, `I live in ${place}.`);
  await grow(world, agentId);
  const [state] = await statesOf(agentId);
  return { agentId, id: state?.id ?? '' };
}

const correct = (agentId: string, id: string, bodyText: string) =>
  memories.updateState(world.owner, { agentId, id }, { bodyText });

it('what a person has corrected holds nothing of the old words outside its history', async () => {
  const { agentId, id } = await living('Osaka');
  const corrected = await correct(agentId, id, 'I live in Kyoto');
  expect(JSON.stringify(corrected)).not.toContain('Osaka');
  expect(corrected.payload).toMatchObject({ attribute: 'home', value: 'Kyoto', subject_name: 'Mika' });
  const noted = await correct(agentId, id, 'Her home is nobody’s business');
  expect(noted.payload).toEqual({ made_by: 'rules', subject_name: 'Mika' });
});

it('what is told later is compared with the correction, not with what it said before', async () => {
  const { agentId, id } = await living('Osaka');
  await correct(agentId, id, 'I live in Kyoto');
  await chatEvents(world, agentId, [
    { userText: 'I live in Osaka.', actor: 'Mika', createdAt: new Date('2100-01-01T00:00:00Z') },
  ]);
  await grow(world, agentId);
  expect(await valid(agentId)).toEqual(['I live in Osaka.']);
});

it('a correction that comes while the same is told again stays', async () => {
  const { agentId, id } = await living('Osaka');
  await tell(agentId, 'I live in Osaka.');
  const client = await world.database.pool.connect();
  try {
    await client.query('begin');
    await client.query(`update memory_states set body_text = 'I live in Kyoto' where id = $1`, [id]);
    const grown = grow(world, agentId);
    await vi.waitFor(
      async () => {
        const { rowCount } = await world.database.pool.query(`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%memory_states%'`);
        expect(rowCount).toBe(1);
      },
      { interval: 5, timeout: LONG_TIMEOUT_MS },
    );
    await client.query('commit');
    await grown;
  } finally {
    client.release();
  }
  const { rows } = await world.database.pool.query(`select body_text from memory_states where id = $1`, [id]);
  expect(rows).toEqual([{ body_text: 'I live in Kyoto' }]);
});

it('a summary that a person has corrected is not overwritten by the next event', async () => {
  const { agentId } = await world.agentInProject();
  const visits = Array.from({ length: 4 }, (_, n) => `I have been to Osaka ${n} times.`);
  await tell(agentId, ...visits);
  await grow(world, agentId);
  const [summary] = await statesOf(agentId, 'summary');
  const id = summary?.id ?? '';
  await correct(agentId, id, 'She has been to Osaka often.');
  await tell(agentId, 'I have been to Osaka again.', 'I have been to Osaka with Ken.');
  await grow(world, agentId);
  const after = (await statesOf(agentId, 'summary')).find((one) => one.id === id);
  expect(after?.bodyText).toBe('She has been to Osaka often.');
});
