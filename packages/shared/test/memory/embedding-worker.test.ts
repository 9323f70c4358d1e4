import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MemoryService } from '../../src/core/memory/memory-service.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { rawClient } from '../chat/chat-support.ts';
import { tell } from './memory-support.ts';
import { found, meaningOf, VectorWorld } from './vector-support.ts';

/* That every document is embedded once, whatever happens meanwhile. */

const COMMIT_WITHIN_MS = 30_000;

let world: ServiceWorld;
let vectors: VectorWorld;
let memories: MemoryService;
let agentId: string;
beforeAll(async () => {
  world = await ServiceWorld.create();
  vectors = await VectorWorld.create(world);
  memories = new MemoryService(world.deps);
});
beforeEach(async () => {
  await vectors.reset();
  ({ agentId } = await world.agentInProject());
});
afterAll(async () => {
  await vectors.close();
  await world.close();
});

const said = (...texts: string[]) =>
  tell(
    world.database,
    texts.map((text) => ({ agentId, text })),
  );
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `note ${n}`);
/** Of what is to be embedded; whether something grows is told beside it. */
const indexing = async () => {
  const { embeddings } = await memories.indexing(world.owner, agentId, {});
  return { pendingJobs: embeddings.pending, failedJobs: embeddings.failed };
};
const position = async () => {
  const { rows } = await world.database.pool.query<{ position: number }>(
    'select position from memory_embedding',
  );
  return rows.map((row) => row.position);
};
const lastTextSeq = async () => {
  const { rows } = await world.database.pool.query<{ last: number }>(
    'select max(text_seq)::int as last from memory_documents',
  );
  return rows[0]?.last;
};
/** The texts of documents that were sent to the server, in their order. */
const sent = () =>
  vectors.server.embedded.flatMap(({ texts }) => texts.filter((text) => /^\d{4}-/.test(text)).map(wordsOf));
const wordsOf = (text: string) => text.split('\n').slice(1).join('\n');

describe('progress', () => {
  it('is nothing without a model, and what is left with one', async () => {
    await said('hound', 'car');
    expect(await indexing()).toEqual({ pendingJobs: 0, failedJobs: 0 });
    const worker = vectors.worker();
    vectors.server.embedding = () => ({ status: 503 });
    await expect(worker.runOnce()).rejects.toMatchObject({ status: 503 });
    expect(await indexing()).toEqual({ pendingJobs: 2, failedJobs: 0 });
    vectors.server.embedding = (texts) => texts.map(meaningOf);
    await worker.runOnce();
    expect(await indexing()).toEqual({ pendingJobs: 0, failedJobs: 0 });
  });

  it('embeds each document once, in requests of at most 64, the newest first', async () => {
    await said(...numbered(150));
    const worker = vectors.worker();
    expect(await worker.runOnce()).toBe('done');
    await said('a new one');
    await worker.runOnce();
    await vectors.worker().runOnce();
    expect(sent()).toEqual([...numbered(150).reverse(), 'a new one']);
    const [measure, ...batches] = vectors.server.embedded.map(({ texts }) => texts.length);
    expect([measure, batches]).toEqual([72, [64, 64, 22, 1]]);
    expect(worker.counts).toEqual({ embedded: 151, refused: 0, failures: 0 });
  });

  it('takes what is stored meanwhile before what is older', async () => {
    await said(...numbered(130));
    vectors.server.embedding = async (texts) => {
      if (texts.some((text) => text.endsWith('note 129'))) await said('stored meanwhile');
      return texts.map(meaningOf);
    };
    await vectors.worker().runOnce();
    expect(sent().indexOf('stored meanwhile')).toBe(64);
  });

  it('passes no document whose transaction commits late', async () => {
    const client = await rawClient(world);
    onTestFinished(() => client.end());
    await client.query('begin');
    await client.query(
      `insert into memory_states (id, agent_id, kind, body_text, last_confirmed_at, evidence, created_at, updated_at)
       values ('sta_late', $1, 'fact', 'committed late', now(), '{}', now(), now())`,
      [agentId],
    );
    await client.query(
      `insert into memory_documents (state_id, agent_id, created_at, length, terms)
       values ('sta_late', $1, now(), 1, '{1}')`,
      [agentId],
    );
    await said('hound');
    const worker = vectors.worker();
    await world.clock.frozen(async () => {
      await worker.runOnce();
      await worker.runOnce();
      expect(await position()).toEqual([0]);
      await client.query('commit');
      world.clock.advance(COMMIT_WITHIN_MS);
      await worker.runOnce();
    });
    expect(await indexing()).toEqual({ pendingJobs: 0, failedJobs: 0 });
    expect(await position()).toEqual([await lastTextSeq()]);
  });
});

it('measures a model once, by texts of its own', async () => {
  const known = () =>
    world.database.db
      .selectFrom('memoryEmbedding')
      .select(['model', 'weight', 'dimensions'])
      .orderBy('model')
      .execute();
  const blind = vectors.worker('blind');
  vectors.server.embedding = (texts) => texts.map(() => [1, 0, 0]);
  await said('hound');
  await blind.runOnce();
  expect(await known()).toEqual([{ model: 'blind', weight: expect.closeTo(0.2), dimensions: 3 }]);
  // It knows of each text which one it belongs to.
  const measured = vectors.server.embedded[0]?.texts ?? [];
  vectors.server.embedding = (texts) =>
    texts.map((text) => {
      const place = measured.indexOf(text);
      return measured.map((_, at) => Number(at === (place % 3 === 1 ? place - 1 : place)));
    });
  const wise = vectors.worker('wise');
  await expect(wise.runOnce()).rejects.toMatchObject({ kind: 'broken' });
  expect((await known())[1]).toEqual({ model: 'wise', weight: 1, dimensions: measured.length });
});

describe('failures', () => {
  it('an endpoint that is away costs a search only its vectors; when it is back all is caught up', async () => {
    const [event] = await said('the hound barks');
    vectors.server.embedding = () => ({ status: 500 });
    const memory = vectors.memory();
    const worker = vectors.worker('model-a', { backoffMs: { first: 1, most: 1 } });
    worker.wake();
    await expect.poll(() => worker.counts.failures).toBeGreaterThan(1);
    const all = { agentId, projectId: undefined };
    expect(await found(memory, all, 'barks')).toEqual({
      ids: [event],
      byVector: [],
      degraded: ['embedding_failed'],
    });
    vectors.server.embedding = (texts) => texts.map(meaningOf);
    await expect.poll(indexing).toEqual({ pendingJobs: 0, failedJobs: 0 });
    expect((await found(memory, all, 'puppy')).byVector).toEqual([event]);
    await expect.poll(() => worker.counts.failures).toBe(0);
  });

  it.each([
    ['too few', (texts: readonly string[]) => texts.slice(1).map(meaningOf)],
    ['of another length', (texts: readonly string[]) => texts.map((text) => meaningOf(text).slice(1))],
    ['without length', (texts: readonly string[]) => texts.map(() => [0, 0])],
  ])('vectors that are %s are not stored', async (_, embedding) => {
    await said('measured first');
    const worker = vectors.worker();
    await worker.runOnce();
    await said('hound', 'car');
    vectors.server.embedding = embedding;
    await expect(worker.runOnce()).rejects.toMatchObject({ kind: 'broken' });
    expect(await indexing()).toEqual({ pendingJobs: 2, failedJobs: 0 });
  });

  it.each([400, 500])('a text that is answered by %s keeps no other from being embedded', async (status) => {
    const poison = (text: string) => text.includes('poison');
    await said(...numbered(20), 'poison', ...numbered(20), 'another poison');
    vectors.server.embedding = (texts) =>
      texts.some(poison) ? { status, message: 'too bad' } : texts.map(meaningOf);
    const worker = vectors.worker();
    expect(await worker.runOnce()).toBe('done');
    expect(await indexing()).toEqual({ pendingJobs: 0, failedJobs: 2 });
    expect(worker.counts).toMatchObject({ embedded: 42, refused: 2 });
    const requests = vectors.server.embedded.length;
    await worker.runOnce();
    expect(vectors.server.embedded).toHaveLength(requests);
  });

  it('a server that refuses every text marks none', async () => {
    await said('measured first');
    const worker = vectors.worker();
    await worker.runOnce();
    await said('hound');
    vectors.server.embedding = () => ({ status: 400 });
    await expect(worker.runOnce()).rejects.toMatchObject({ status: 400 });
    expect(await indexing()).toEqual({ pendingJobs: 1, failedJobs: 0 });
  });

  it('stop ends a request that is not answered, and leaves the work to others at once', async () => {
    await said('hound');
    const asked = Promise.withResolvers<void>();
    vectors.server.embedding = () => {
      asked.resolve();
      return new Promise(() => undefined);
    };
    const worker = vectors.worker();
    worker.wake();
    await asked.promise;
    await worker.stop();
    vectors.server.embedding = (texts) => texts.map(meaningOf);
    expect(await vectors.worker().runOnce()).toBe('done');
    expect(await indexing()).toEqual({ pendingJobs: 0, failedJobs: 0 });
  });
});

describe('another model', () => {
  const otherMeaningOf = (text: string) => [0, ...meaningOf(text)];

  it('begins anew: searches use words until it has embedded, and nothing of the old one', async () => {
    const [hound] = await said('hound', 'car');
    await vectors.worker('model-a').runOnce();
    const next = vectors.worker('model-b');
    vectors.server.embedding = (texts) => (texts.length > 1 ? { status: 503 } : texts.map(otherMeaningOf));
    await expect(next.runOnce()).rejects.toMatchObject({ status: 503 });
    expect(await indexing()).toEqual({ pendingJobs: 2, failedJobs: 0 });
    const memory = vectors.memory('model-b');
    const all = { agentId, projectId: undefined };
    expect(await found(memory, all, 'puppy')).toEqual({ ids: [], byVector: [], degraded: [] });
    const byWords = await found(memory, all, 'hound');
    expect([byWords.ids[0], byWords.byVector]).toEqual([hound, []]);
    vectors.server.embedding = (texts) => texts.map(otherMeaningOf);
    await next.runOnce();
    expect((await found(memory, all, 'puppy')).byVector[0]).toBe(hound);
  });

  it('an earlier one again: what the other has replaced meanwhile is embedded again', async () => {
    await said('hound', 'car');
    const worker = vectors.worker('model-a');
    await worker.runOnce();
    world.clock.advance(COMMIT_WITHIN_MS);
    await worker.runOnce();
    expect(await position()).toEqual([await lastTextSeq()]);
    await vectors.worker('model-b').runOnce();
    await vectors.worker('model-a').runOnce();
    expect(await indexing()).toEqual({ pendingJobs: 0, failedJobs: 0 });
    const { rows } = await world.database.pool.query('select distinct model from memory_vectors');
    expect(rows).toEqual([{ model: 'model-a' }]);
  });

  it('the process that was configured last embeds, the other one leaves it alone', async () => {
    const old = vectors.worker('model-a');
    await said('hound');
    await old.runOnce();
    const next = vectors.worker('model-b');
    await next.runOnce();
    const requests = vectors.server.embedded.length;
    expect(await old.runOnce()).toBe('taken');
    expect(vectors.server.embedded).toHaveLength(requests);
  });
});

describe('several processes', () => {
  it('share the work: no document is sent twice', async () => {
    await said(...numbered(200));
    const workers = [vectors.worker(), vectors.worker()];
    const ends = await Promise.all(workers.map((worker) => worker.runOnce()));
    expect(ends).toContain('done');
    expect(sent().sort()).toEqual(numbered(200).sort());
    expect(await indexing()).toEqual({ pendingJobs: 0, failedJobs: 0 });
  });

  it('one whose lease has run out is followed by another', async () => {
    await said('hound');
    const hung = Promise.withResolvers<void>();
    vectors.server.embedding = () => {
      hung.resolve();
      return new Promise(() => undefined);
    };
    // It renews its lease a third of this later: not within this test.
    vectors.worker('model-a', { leaseMs: 3_600_000 }).wake();
    await hung.promise;
    vectors.server.embedding = (texts) => texts.map(meaningOf);
    const other = vectors.worker();
    expect(await other.runOnce()).toBe('taken');
    // As if the first one had died.
    await world.database.pool.query(
      `update memory_embedding set lease_owner = 'gone', lease_until = '-infinity'`,
    );
    expect(await other.runOnce()).toBe('done');
  });
});

it('a document that is being deleted is neither waited for nor embedded', async () => {
  const [gone, left] = await said('hound', 'car');
  const client = await rawClient(world);
  onTestFinished(() => client.end());
  let isAsked = false;
  vectors.server.embedding = async (texts) => {
    if (texts.some((text) => text.endsWith('hound')) && !isAsked) {
      isAsked = true;
      await client.query('begin');
      await client.query('delete from memory_events where id = $1', [gone]);
    } else if (isAsked) await client.query('commit');
    return texts.map(meaningOf);
  };
  await vectors.worker().runOnce();
  const { rows } = await world.database.pool.query(
    'select d.event_id from memory_vectors v join memory_documents d on d.id = v.document_id',
  );
  expect(rows).toEqual([{ event_id: left }]);
});
