import { type NewEvent, type NewState, storeEvents, storeState } from '../../src/core/memory/memory-store.ts';
import type { ServiceWorld } from '../../src/testing/service-world.ts';

export const AT = new Date('2026-01-02T03:04:05.678Z');

export const secondsLater = (seconds: number) => new Date(AT.getTime() + seconds * 1_000);

/** Stores events of a chat; returns their ids. */
export async function chatEvents(
  world: ServiceWorld,
  agentId: string,
  events: readonly Partial<NewEvent>[],
): Promise<string[]> {
  const given = { projectId: null, clientId: 'person', threadId: 'thread', createdAt: AT };
  const { stored } = await world.database.transaction((tx) =>
    storeEvents(
      tx,
      agentId,
      events.map((event) => ({ ...given, source: 'chat', assistantState: 'complete', ...event })),
    ),
  );
  return stored;
}

export function aState(world: ServiceWorld, agentId: string, state: Partial<NewState>): Promise<string> {
  return world.database.transaction((tx) =>
    storeState(tx, agentId, {
      projectId: null,
      kind: 'fact',
      bodyText: 'something',
      at: AT,
      evidence: [],
      reason: 'said so',
      madeBy: 'rules',
      ...state,
    }),
  );
}

/** The tables in which a text stands, whatever the type of the column. A short word may stand in an id or a hash. */
export async function tablesWith(world: ServiceWorld, word: string): Promise<string[]> {
  const { rows } = await world.database.pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await world.database.pool.query(
      `select from "${name}" as t where to_jsonb(t)::text ilike '%' || $1 || '%' limit 1`,
      [word],
    );
    if (rowCount) found.push(name);
  }
  return found.toSorted();
}
