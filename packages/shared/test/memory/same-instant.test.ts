import { afterAll, beforeAll, expect, it } from 'vitest';
import { DocumentQueries } from '../../src/core/memory/retrieval/document-queries.ts';
import { findLongMood } from '../../src/core/turns/turn-queries.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { tell } from './memory-support.ts';
import { AT, aState, chatEvents, secondsLater } from './stored-memory.ts';

/* Of items of the same millisecond, a part of a memory always shows the same ones, wherever their rows are stored. */

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(() => world.close());

it('of two moods that were confirmed at the same instant, one holds', async () => {
  const { agentId, projectId } = await world.agentInProject();
  const evidence = await chatEvents(world, agentId, [{ userText: 'hello' }]);
  const moods = new Map<string, string>();
  for (const bodyText of ['calm', 'merry', 'sad']) {
    const of = bodyText === 'merry' ? { projectId } : {};
    moods.set(await aState(world, agentId, { kind: 'long_mood_state', bodyText, evidence, ...of }), bodyText);
  }
  const holds = moods.get([...moods.keys()].toSorted().at(-1) ?? '');
  for (const id of moods.keys()) {
    // Its row and its entries in the indexes are behind the others now.
    for (const lastConfirmedAt of [secondsLater(1), AT])
      await world.database.db
        .updateTable('memoryStates')
        .set({ lastConfirmedAt })
        .where('id', '=', id)
        .execute();
    expect((await findLongMood(world.database.db, agentId, projectId))?.bodyText).toBe(holds);
  }
});

it('of two events of the same instant, the one that was stored last is the newest of a time', async () => {
  const { agentId, projectId } = await world.agentInProject();
  const queries = new DocumentQueries(world.database);
  const sight = { scope: { agentId, projectId }, asOf: null, exceptEventId: null };
  const span = { from: AT, to: secondsLater(60) };
  const inOrder = [projectId, null, projectId];
  for (const [index, project] of inOrder.entries()) {
    const at = AT.toISOString();
    const [eventId] = await tell(world.database, [
      { agentId, projectId: project, text: `news ${index}`, at },
    ]);
    const rows = await queries.byIds(await queries.within(sight, [span], 1));
    expect(rows.map((row) => row.eventId)).toEqual([eventId]);
  }
});
