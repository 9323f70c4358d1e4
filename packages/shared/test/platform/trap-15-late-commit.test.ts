import fc from 'fast-check';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type LogEntry,
  logBounds,
  pruneLogBatch,
  readLog,
  readLogStretch,
} from '../../src/platform/change-log/change-log.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { createTestDatabase } from '../../src/testing/test-database.ts';
import { expectInvariants, rawClient } from '../chat/chat-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const write = (client: pg.Client, ref: string, projectId = 'prj_log') =>
  client.query(
    `insert into change_log (project_id, kind, ref) values ($1, 'message', jsonb_build_object('messageId', $2::text))`,
    [projectId, ref],
  );
const refs = (batch: { entries: readonly { ref: Readonly<Record<string, string>> }[] }) =>
  batch.entries.map(({ ref }) => ref.messageId);
/** Everything up to now; `pastOthers`: though other databases of the server are writing. */
async function readAll(from: string, options: { pastOthers?: boolean } = {}) {
  for (let cursor = from, entries: LogEntry[] = []; ; ) {
    const batch = await readLog(world.database.db, cursor, options);
    entries = [...entries, ...batch.entries];
    cursor = batch.to;
    if (!batch.pending) return { to: cursor, entries };
  }
}
const start = async () => (await logBounds(world.database.db)).horizon;

describe('trap 15: reading the change log', () => {
  it('a transaction that began first and commits last is not skipped', async () => {
    const [slow, quick] = [await rawClient(world), await rawClient(world)];
    const from = await start();
    await slow.query('begin');
    await write(slow, 'first id, last commit');
    await quick.query('begin');
    await write(quick, 'second id, first commit');
    await quick.query('commit');
    const early = await readLog(world.database.db, from);
    // The later id is there already, and waits.
    expect(refs(early)).toEqual([]);
    expect(early.pending).toBe(true);
    await slow.query('commit');
    const late = await readAll(early.to);
    expect(refs(late)).toEqual(['first id, last commit', 'second id, first commit']);
    expect(refs(await readAll(late.to))).toEqual([]);
    await Promise.all([slow.end(), quick.end()]);
  });

  it('one that is rolled back holds up and leaves nothing', async () => {
    const [slow, quick] = [await rawClient(world), await rawClient(world)];
    const from = await start();
    await slow.query('begin');
    await write(slow, 'never');
    await write(quick, 'told');
    expect(refs(await readLog(world.database.db, from))).toEqual([]);
    await slow.query('rollback');
    expect(refs(await readAll(from))).toEqual(['told']);
    await Promise.all([slow.end(), quick.end()]);
  });

  it('another database of the server holds it up, unless it is looked past; our own never is', async () => {
    const elsewhere = await createTestDatabase();
    const [foreign, slow] = [new pg.Client({ connectionString: elsewhere.url }), await rawClient(world)];
    await foreign.connect();
    const from = await start();
    await foreign.query('begin');
    await foreign.query('select pg_current_xact_id()');
    const quick = await rawClient(world);
    await write(quick, 'beside the other database');
    expect(refs(await readLog(world.database.db, from))).toEqual([]);
    const past = await readAll(from, { pastOthers: true });
    expect(refs(past)).toEqual(['beside the other database']);
    await slow.query('begin');
    await write(slow, 'first id, last commit');
    await write(quick, 'second id, first commit');
    const early = await readLog(world.database.db, past.to, { pastOthers: true });
    expect(refs(early)).toEqual([]);
    expect((await readLog(world.database.db, early.to)).to, 'never backwards').toBe(early.to);
    await slow.query('commit');
    const late = await readAll(early.to, { pastOthers: true });
    expect(refs(late)).toEqual(['first id, last commit', 'second id, first commit']);
    await Promise.all([foreign.end(), slow.end(), quick.end()]);
    await elsewhere.drop();
  });

  it('whatever the order of writes and commits: everything once, read at any moment', async () => {
    const clients = await Promise.all([rawClient(world), rawClient(world), rawClient(world)]);
    const anyStep = fc.record({
      who: fc.nat(2),
      act: fc.constantFrom('write', 'write', 'commit', 'rollback', 'read'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 25, size: 'max' }), async (steps) => {
        const open: (string[] | null)[] = clients.map(() => null);
        const committed: string[] = [];
        const heard: (string | undefined)[] = [];
        let cursor = await start();
        let count = 0;
        const read = async () => {
          const batch = await readLog(world.database.db, cursor);
          heard.push(...refs(batch));
          cursor = batch.to;
        };
        for (const { who, act } of steps) {
          const client = clients[who];
          const mine = open[who];
          if (!client) continue;
          if (act === 'read') await read();
          else if (act === 'write') {
            if (mine === null || mine === undefined) await client.query('begin');
            await write(client, `${count}`);
            open[who] = [...(mine ?? []), `${count}`];
            count += 1;
          } else if (mine) {
            await client.query(act);
            if (act === 'commit') committed.push(...mine);
            open[who] = null;
          }
        }
        for (const [index, client] of clients.entries()) if (open[index]) await client.query('rollback');
        heard.push(...refs(await readAll(cursor)));
        expect([...heard].sort()).toEqual([...committed].sort());
      }),
      { numRuns: 25 },
    );
    await Promise.all(clients.map((client) => client.end()));
  });

  it('of one thread the order is the order of its messages, by both ways to store them', async () => {
    const membership = await world.agentInProject();
    const { caller } = await world.warmAgent(membership);
    const from = await start();
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 4 === 0
          ? world.delivery.send(caller, { targetAgentId: 'user', content: `${index}` })
          : world.chat.post(world.owner, { ...membership, content: `${index}` }),
      ),
    );
    const batch = await readAll(from);
    const ids = batch.entries.filter(({ kind }) => kind === 'message').map(({ ref }) => ref.messageId ?? '');
    const messages = await world.history.byIds(ids);
    expect(ids.map((id) => messages.get(id)?.seq)).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 2),
    );
  });

  it('gives the rest of a stretch, of one project and of none in particular', async () => {
    const client = await rawClient(world);
    const from = await start();
    await write(client, 'a', 'prj_one');
    await write(client, 'b', 'prj_two');
    await client.query(`insert into change_log (project_id, kind, ref) values (null, 'coordinators', '{}')`);
    await write(client, 'c', 'prj_one');
    const { to, entries } = await readAll(from);
    const stretch = { from, to, projectId: 'prj_one', limit: 10 };
    const all = await readLogStretch(world.database.db, { ...stretch, afterId: 0 });
    expect(all.map(({ ref, kind }) => ref.messageId ?? kind)).toEqual(['a', 'coordinators', 'c']);
    const rest = await readLogStretch(world.database.db, { ...stretch, afterId: entries[0]?.id ?? 0 });
    expect(rest.map(({ ref, kind }) => ref.messageId ?? kind)).toEqual(['coordinators', 'c']);
    await client.end();
  });

  it('forgets what is old, and nothing else', async () => {
    await sql`update change_log set created_at = created_at - interval '3 days'`.execute(world.database.db);
    const client = await rawClient(world);
    await write(client, 'kept');
    await client.end();
    const before = new Date(Date.now() - 2 * 86_400_000);
    const { deleted } = await pruneLogBatch(world.database.db, { before, after: null, limit: 10_000 });
    expect(deleted).toBeGreaterThan(0);
    expect(refs(await readAll('0'))).toEqual(['kept']);
  });
});
