import { sql } from 'kysely';
import type { InboxRef, SeenRef } from '../../contract/inbox.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** Of one person; the oldest beyond it are dropped. */
const MAX_MARKS = 2_000;

export async function insertInboxMarks(
  db: Queryable,
  marks: { humanId: string; items: readonly SeenRef[]; now: Date; until: Date | null },
): Promise<void> {
  const { humanId, items, now, until } = marks;
  await sql`
    insert into inbox_marks (human_id, kind, ref_id, marked_at, put_away_at, hidden_until)
    select ${humanId}, i.kind, i.ref_id, max(least(i.seen, ${now}::timestamptz)), ${now}::timestamptz,
      ${until}::timestamptz
    from unnest(${items.map(({ kind }) => kind)}::text[], ${items.map(({ refId }) => refId)}::text[],
      ${items.map(({ createdAt }) => createdAt ?? null)}::timestamptz[]) as i (kind, ref_id, seen)
    group by i.kind, i.ref_id
    on conflict (human_id, kind, ref_id) do update
      set marked_at = excluded.marked_at, put_away_at = excluded.put_away_at, hidden_until = excluded.hidden_until`.execute(
    db,
  );
  await sql`
    delete from inbox_marks where human_id = ${humanId} and ctid = any(array(
      select m.ctid from inbox_marks m where m.human_id = ${humanId}
      order by m.put_away_at desc, m.ref_id desc, m.kind offset ${MAX_MARKS}))`.execute(db);
}

export async function deleteInboxMarks(
  db: Queryable,
  marks: { humanId: string; items: readonly InboxRef[] },
): Promise<void> {
  await sql`
    delete from inbox_marks m using unnest(${marks.items.map(({ kind }) => kind)}::text[],
      ${marks.items.map(({ refId }) => refId)}::text[]) as i (kind, ref_id)
    where m.human_id = ${marks.humanId} and m.kind = i.kind and m.ref_id = i.ref_id`.execute(db);
}

/** The person of the inbox has not put this item away. `ref` and `at` are the SQL of its id and its time. */
export function isShownSql(
  of: { personId: string; now: Date },
  kind: InboxRef['kind'],
  item: { ref: string; at: string },
) {
  return sql`not exists (select from inbox_marks k
    where k.human_id = ${of.personId} and k.kind = ${kind} and k.ref_id = ${sql.ref(item.ref)}
      and k.marked_at >= ${sql.ref(item.at)} and (k.hidden_until is null or k.hidden_until > ${of.now}))`;
}
