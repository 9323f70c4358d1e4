import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Person } from '../../src/core/access/person.ts';
import { MemoryPeople } from '../../src/core/memory/memory-people.ts';
import { newId } from '../../src/platform/ids.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { grow } from './growth/growth-support.ts';
import { aState, chatEvents, secondsLater, tablesWith } from './stored-memory.ts';

let world: ServiceWorld;
let people: MemoryPeople;
beforeAll(async () => {
  world = await ServiceWorld.create();
  people = new MemoryPeople(world.deps);
});
afterAll(() => world.close());

/** A member whose name is no one else's. */
async function person(): Promise<Person> {
  const id = newId('agt');
  const name = `Member ${id}`;
  await world.agents.create(world.owner, { id, name, type: 'human', accessLevel: 'member' });
  return { id, name, accessLevel: 'member' };
}

const lineSchema = z.looseObject({
  type: z.enum(['event', 'state', 'revision', 'end']),
  id: z.string().optional(),
});

async function exported(agentId: string, personId: string) {
  const lines: z.infer<typeof lineSchema>[] = [];
  for await (const line of await people.export(world.owner, { agentId, personId }))
    lines.push(lineSchema.parse(JSON.parse(line)));
  return lines;
}

/** What Mika and Bob have told an agent in one project, and what it has learnt of it. */
async function told() {
  const { agentId, projectId } = await world.agentInProject();
  const mika = await person();
  const bob = await person();
  const client = (personId: string) => `pm:${projectId}:${agentId}:${personId}`;
  const [ofMika = '', ofBob = '', noted = '', written = ''] = await chatEvents(world, agentId, [
    { projectId, clientId: client(mika.id), actor: mika.name, userText: 'Zinnober is my colour.' },
    // Two people of different projects may have one name.
    {
      projectId,
      clientId: client(bob.id),
      actor: mika.name,
      userText: 'Mine is blue.',
      createdAt: secondsLater(1),
    },
    {
      source: 'import',
      clientId: 'minutes',
      actor: mika.name,
      userText: 'Zinnober walls, please.',
      createdAt: secondsLater(2),
    },
    { clientId: mika.id, userText: 'A zinnober door.', createdAt: secondsLater(3) },
  ]);
  const alone = await aState(world, agentId, { projectId, bodyText: 'likes Zinnober', evidence: [ofMika] });
  const both = await aState(world, agentId, {
    projectId,
    bodyText: 'likes colours',
    evidence: [ofBob, ofMika],
  });
  const other = await aState(world, agentId, { projectId, bodyText: 'likes blue', evidence: [ofBob] });
  return { agentId, mika, bob, ofMika, ofBob, noted, written, alone, both, other };
}

it('what a memory holds of a person is given out in lines, the last of which says that it is all', async () => {
  const { agentId, mika, ofMika, noted, written, alone, both } = await told();
  const lines = await exported(agentId, mika.id);
  const idsOf = (type: string) => lines.filter((line) => line.type === type).map(({ id }) => id);
  expect(idsOf('event')).toEqual([written, noted, ofMika]);
  expect(idsOf('state').toSorted()).toEqual([alone, both].toSorted());
  // What a state said before, too, directly behind it.
  const [state, revision] = lines.slice(3, 5);
  expect(revision).toMatchObject({ type: 'revision', stateId: state?.id, op: 'upsert', madeBy: 'rules' });
  expect(lines.at(-1)).toEqual({ type: 'end', events: 3, states: 2, revisions: 2 });
  await people.erase(world.owner, { agentId, personId: mika.id });
});

it('what is erased of a person is nowhere, and what others have told stays', async () => {
  const { agentId, mika, bob, ofBob, both, other } = await told();
  expect(await tablesWith(world, 'zinnober')).not.toEqual([]);
  await people.erase(world.owner, { agentId, personId: mika.id });
  expect(await tablesWith(world, 'zinnober')).toEqual([]);
  expect(await exported(agentId, mika.id)).toEqual([{ type: 'end', events: 0, states: 0, revisions: 0 }]);
  const kept = (await exported(agentId, bob.id)).flatMap(({ type, id = [] }) =>
    type === 'revision' ? [] : id,
  );
  expect(kept.toSorted()).toEqual([ofBob, both, other].toSorted());
  await people.erase(world.owner, { agentId, personId: mika.id });
});

it('what was planned from the words of a person, and what the person was asked to show, goes with an erasure', async () => {
  const { agentId, projectId } = await world.agentInProject();
  const mika = await person();
  await chatEvents(world, agentId, [
    { clientId: mika.id, projectId, userText: 'Zinnober is my colour.' },
    { clientId: 'bob', projectId, userText: 'She told you.', createdAt: secondsLater(1) },
  ]);
  const { pool } = world.database;
  await pool.query(
    `create function refuse() returns trigger language plpgsql as 'begin raise ''refused''; end'`,
  );
  await pool.query(`create trigger refuse before insert on memory_states for each row
    when (new.body_text ilike '%zinnober%') execute function refuse()`);
  const upsert = { op: 'upsert', kind: 'fact', body_text: 'Bob knows of the zinnober', payload: {} };
  await grow(world, agentId, { grower: async () => ({ state_updates: [upsert] }) });
  await pool.query('drop trigger refuse on memory_states');
  await pool.query(
    `insert into vision_requests (id, agent_id, project_id, client_id, source, timeout_ms, created_at, expires_at, state,
       reason, resolved_at)
     values ('vis_mika', $1, $2, $3, 'the zinnober wall', 1, now(), now(), 'declined', 'zinnober is private', now())`,
    [agentId, projectId, mika.id],
  );
  expect(await tablesWith(world, 'zinnober')).toEqual(
    expect.arrayContaining(['memory_events', 'memory_growth', 'vision_requests']),
  );
  await people.erase(world.owner, { agentId, personId: mika.id });
  expect(await tablesWith(world, 'zinnober')).toEqual([]);
});

it('what was imported under the name of a person, however it was typed, is of that person', async () => {
  const { agentId } = await world.agentInProject();
  const mika = await person();
  const [wide = ''] = await chatEvents(world, agentId, [
    {
      source: 'import',
      clientId: 'minutes',
      actor: ` ${mika.name.toUpperCase().replace('M', 'Ｍ')} `,
      userText: 'x',
    },
    {
      source: 'import',
      clientId: 'minutes',
      actor: `${mika.name}x`,
      userText: 'y',
      createdAt: secondsLater(1),
    },
  ]);
  expect((await exported(agentId, mika.id)).map(({ id }) => id)).toEqual([wide, undefined]);
});

it('is for owners, and only of people', async () => {
  const { agentId, mika } = await told();
  await expect(people.export(mika, { agentId, personId: mika.id })).rejects.toMatchObject({
    code: 'forbidden',
  });
  await expect(people.erase(mika, { agentId, personId: mika.id })).rejects.toMatchObject({
    code: 'forbidden',
  });
  await expect(people.erase(world.owner, { agentId, personId: agentId })).rejects.toMatchObject({
    code: 'agent_not_found',
  });
  await people.erase(world.owner, { agentId, personId: mika.id });
});

it('a memory of more events than one query reads is given out as a whole', async () => {
  const { agentId } = await world.agentInProject();
  const mika = await person();
  await world.database.pool.query(
    `insert into memory_events (id, agent_id, client_id, thread_id, source, user_text, assistant_state, created_at)
     select 'evt_people_' || n, $1, case when n % 3 = 0 then $2 else 'other' end, 't', 'import', 'x', 'complete',
       timestamptz '2026-01-01' + n % 7 * interval '1 day' from generate_series(1, 2500) as n`,
    [agentId, mika.id],
  );
  const lines = await exported(agentId, mika.id);
  expect(lines.at(-1)).toEqual({ type: 'end', events: 833, states: 0, revisions: 0 });
  expect(new Set(lines.map(({ id }) => id)).size).toBe(834);
});
