import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { MADE_BY, STATE_KINDS, type StateKind } from '../../contract/memory.ts';
import type { Queryable } from '../../platform/db/database.ts';
import {
  bytesOf,
  type PageOf,
  type PageRequest,
  parseCursor,
  readPage,
  toPage,
} from '../../platform/db/page.ts';
import { AppError } from '../../platform/errors.ts';
import type { MemoryScope } from './memory-scope.ts';
import { inScope, partsOf } from './scope-queries.ts';
import type { StateRow } from './state-queries.ts';

const kindSchema = z.enum(STATE_KINDS);
const payloadSchema = z.record(z.string(), z.unknown());
const madeBySchema = z.enum(MADE_BY);

/** The last confirmed first. */
export async function listStates(
  db: Queryable,
  scope: MemoryScope,
  { kind, ...page }: PageRequest & { kind?: StateKind | undefined },
): Promise<PageOf<StateRow>> {
  const after = parseCursor(page.cursor);
  const part = (which: RawBuilder<boolean>) =>
    db
      .selectFrom('memoryStates')
      .select([
        'id',
        'lastConfirmedAt as createdAt',
        bytesOf({ texts: ['bodyText'], json: ['payload', 'evidence'] }),
      ])
      .where('agentId', '=', scope.agentId)
      .where(which)
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? ''))
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`last_confirmed_at <= ${after?.createdAt}::timestamptz
          and (last_confirmed_at < ${after?.createdAt}::timestamptz or id > ${after?.id})`),
      )
      .orderBy('lastConfirmedAt', 'desc')
      .orderBy('id')
      .limit(page.limit + 1);
  const parts = partsOf(scope).map((which) => sql`(${part(which)})`);
  const { rows: found } = await sql<{ id: string; createdAt: Date; bytes: number }>`
    select * from (${sql.join(parts, sql` union all `)}) as found
    order by created_at desc, id limit ${page.limit + 1}`.execute(db);
  return readPage(found, page.limit, async (ids) =>
    (
      await selectStates(db)
        .where('id', 'in', [...ids])
        .execute()
    ).map(toState),
  );
}

export async function findState(
  db: Queryable,
  scope: MemoryScope,
  id: string,
): Promise<StateRow | undefined> {
  const row = await selectStates(db).where('id', '=', id).where(inScope(scope)).executeTakeFirst();
  return row && toState(row);
}

/** Those of these states that are there, the last confirmed first. */
export async function findStatesById(
  db: Queryable,
  agentId: string,
  ids: readonly string[],
): Promise<StateRow[]> {
  const rows = await selectStates(db)
    .where('agentId', '=', agentId)
    .where('id', 'in', [...ids])
    .orderBy('lastConfirmedAt', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(toState);
}

/** One of them, locked until the transaction ends. */
export async function lockState(
  db: Queryable,
  scope: MemoryScope,
  id: string,
): Promise<StateRow | undefined> {
  const row = await selectStates(db)
    .where('id', '=', id)
    .where(inScope(scope))
    .forUpdate()
    .executeTakeFirst();
  return row && toState(row);
}

/** The newest first. */
export async function listRevisions(db: Queryable, stateId: string, page: PageRequest) {
  const after = revisionOf(page.cursor);
  const found = await db
    .selectFrom('memoryRevisions')
    .select(['id', 'at', bytesOf({ texts: ['reason'], json: ['before', 'after', 'evidence'] })])
    .where('stateId', '=', stateId)
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? 0))
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const places = found.map(({ id, at, bytes }) => ({ createdAt: at, id: `r${id}`, bytes, revisionId: id }));
  const { rows, nextCursor } = toPage(places, page.limit);
  if (rows.length === 0) return { rows: [], nextCursor };
  const ids = rows.map(({ revisionId }) => revisionId);
  const revisions = await db
    .selectFrom('memoryRevisions')
    .select(['id', 'at', 'op', 'before', 'after', 'reason', 'evidence', 'madeBy'])
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .execute();
  return { rows: revisions.map((row) => ({ ...row, madeBy: madeBySchema.parse(row.madeBy) })), nextCursor };
}

export function selectStates(db: Queryable) {
  return db
    .selectFrom('memoryStates')
    .select([
      'id',
      'agentId',
      'projectId',
      'kind',
      'bodyText',
      'payload',
      'confidence',
      'validFrom',
      'validTo',
    ])
    .select(['lastConfirmedAt', 'evidence', 'createdAt', 'updatedAt']);
}

type Selected = Omit<StateRow, 'kind' | 'payload'> & { readonly kind: string; readonly payload: unknown };

export function toState({ kind, payload, ...row }: Selected): StateRow {
  return { ...row, kind: kindSchema.parse(kind), payload: payloadSchema.parse(payload) };
}

function revisionOf(cursor: string | undefined): number | undefined {
  const position = parseCursor(cursor);
  if (!position) return undefined;
  const [, id] = /^r([0-9]{1,15})$/.exec(position.id) ?? [];
  if (id === undefined) throw new AppError('invalid_input', 'This cursor is not valid.');
  return Number(id);
}
